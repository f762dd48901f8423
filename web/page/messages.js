// What a reader can do where the library gives no answer. Its own messages are for programmers: they go to the console.

/** By the `code` of the library's errors. `name` is a polygon, as in "A" or "the polygon". */
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

/** A sentence or two for the reader. */
export function adviceOf(error, name = 'the polygon') {
  console.info(error);
  return Object.hasOwn(ADVICE, error?.code) ? ADVICE[error.code](name) : OTHER;
}

/** Which of some polygons the library refuses alone: `[{ name, question }]`; the first where it refuses only all together. */
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
