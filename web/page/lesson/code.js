// Shows the test as ten lines of pseudo-code, and highlights the lines that run while the reader tests one axis after another.

import { button, element } from '../controls.js';
import { wordsOfAxis } from './words.js';

const lines = [
  'for each edge of A and of B:',
  '  axis = the normal of the edge',
  '  a = projection of A on the axis',
  '  b = projection of B on the axis',
  '  gap = larger start − smaller end',
  '  if gap > 0:',
  '    return "disjoint"',
  '  if gap = 0:',
  '    note "touching"',
  'return the note, or "overlapping"',
];

/** The numbers of the lines that run for an axis, by its tone (see `toneOf`). */
const ran = { apart: [1, 2, 3, 4, 5, 6, 7], touch: [1, 2, 3, 4, 5, 6, 8, 9], meets: [1, 2, 3, 4, 5, 6, 8] };

/** An activity that tests the axes in the library's order and stops at the first gap. */
export function codeWalk(lesson) {
  const { stage } = lesson;
  const { axes } = stage.answer;
  const rows = lines.map((text) => element('li', {}, element('code', {}, text)));
  const press = button('Test the next axis', () => test());
  const light = (numbers) => rows.forEach((row, i) => {
    row.classList.toggle('ran', numbers.includes(i + 1));
    row.classList.toggle('current', numbers.at(-1) === i + 1);
  });
  let tested = 0;

  function test() {
    const axis = axes[tested];
    tested += 1;
    stage.draws.axes = tested;
    stage.view.redraw();
    const words = wordsOfAxis(axis);
    light(ran[words.tone]);
    lesson.say({ ...words, word: `Axis ${tested} of ${axes.length}: ${words.word.toLowerCase()}` });
    if (!axis.separates) {
      lesson.announce(`Axis ${tested} of ${axes.length}. ${words.why}`);
      return;
    }
    press.disabled = true;
    lesson.complete(`The program tested ${tested} of ${axes.length} axes and returned “disjoint”. It tests every axis only if no axis has a gap.`);
  }

  lesson.say({ tone: 'none', sign: '–', word: 'No axis tested', why: `There are ${axes.length} axes.` });
  return { element: press, below: element('ol', { class: 'lesson-code', 'aria-label': 'The test in pseudo-code' }, ...rows) };
}
