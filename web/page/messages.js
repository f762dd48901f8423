// Tells the reader what to do when the library reports an error. The library's own messages are for programmers, and go to the
// console.

/** Advice by the `code` of an error of the library. `name` names a polygon: "A", or "the polygon". */
const ADVICE = {
  crossing: (name) => `Edges of ${name} cross each other. Move its corners until no two edges cross, or press Reset.`,
  flat: (name) => `${capital(name)} has no area: its corners lie on one line. Move a corner off the line, or press Reset.`,
  range: (name) => `A number of ${name} is too large or too small. Choose a shape again, or press Reset.`,
  motion: () => 'The body moves too far in one flight. Choose a lower speed, or press Reset.',
  left: () => 'A body flew out of the world. Press Restart, and throw more gently.',
  'no-gpu': () => 'This browser gives the page no GPU. Use the CPU instead, or switch on hardware acceleration in the settings of the browser.',
  gpu: () => 'The GPU stopped working for this page. Use the CPU instead, or reload the page to try the GPU again.',
  memory: () => 'There is not enough memory for so many bodies. Choose fewer.',
};
const OTHER = 'The library gave no answer. Press Reset or Restart; if that does not help, reload the page.';

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** One or two sentences of advice for the reader. */
export function adviceOf(error, name = 'the polygon') {
  console.info(error);
  return Object.hasOwn(ADVICE, error?.code) ? ADVICE[error.code](name) : OTHER;
}

/**
 * The name of the first of `polygons`, `[{ name, question }]`, that the library refuses by itself. If it refuses none by itself, the name
 * of the first polygon.
 */
export function refused(wasm, polygons) {
  const isRefused = ({ question }) => {
    try {
      wasm.explainPoint(question, 0, 0);
      return false;
    } catch {
      return true;
    }
  };
  return (polygons.find(isRefused) ?? polygons[0]).name;
}
