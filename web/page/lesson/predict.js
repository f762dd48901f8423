// The challenge of five rounds: the reader predicts the relation of two polygons, then the axes are shown.

import { button, element } from '../controls.js';
import { cases } from './cases.js';
import { relations, wordsOfPair } from './words.js';

const sceneOf = (id) => cases.find((one) => one.id === id).scene;

/** The scenes of the rounds. The answers come from the library. */
export const rounds = [
  sceneOf('needle'),
  sceneOf('inside'),
  // Disjoint, with edges on one line.
  { a: 'square', pa: '-1.5_-1.25_0', b: 'square', pb: '1.5_1.25_0' },
  sceneOf('corner'),
  // Overlapping: a corner of A lies inside B.
  { a: 'hexagon', pa: '-1.25_0_0', b: 'square', pb: '1.375_0.5_0' },
];

export function predict(lesson) {
  const { stage } = lesson;
  const score = element('p', { class: 'note lesson-score' });
  const choices = Object.entries(relations).map(([relation, { word }]) => ({ relation, press: button(word, () => answer(relation)) }));
  const next = button('Next round', () => round(at + 1));
  let at = 0;
  let right = 0;

  function round(index) {
    at = index;
    if (at === 0) right = 0;
    stage.load({ scene: rounds[at], label: 'Two polygons' });
    for (const { press } of choices) {
      press.disabled = false;
      press.removeAttribute('aria-pressed');
    }
    next.hidden = true;
    tell();
    lesson.say({ tone: 'none', sign: '?', word: `Round ${at + 1}`, why: 'Choose an answer.' });
    if (at > 0) {
      choices[0].press.focus({ preventScroll: true });
      lesson.announce(`Round ${at + 1} of ${rounds.length}. Disjoint, touching or overlapping?`);
    }
  }

  function tell() {
    score.textContent = `Round ${at + 1} of ${rounds.length}. Score: ${right}.`;
  }

  function answer(chosen) {
    const words = wordsOfPair(stage.answer);
    const isRight = chosen === stage.answer.relation;
    if (isRight) right += 1;
    for (const { relation, press } of choices) {
      press.disabled = true;
      press.setAttribute('aria-pressed', String(relation === chosen));
    }
    stage.draws = { axes: 'all' };
    stage.view.redraw();
    const verdict = { ...words, word: `${isRight ? 'Right' : 'Wrong'}: ${words.word.toLowerCase()}` };
    lesson.say(verdict);
    tell();
    if (at + 1 === rounds.length) {
      lesson.complete(`You have ${right} of ${rounds.length} right.`);
      return;
    }
    lesson.announce(`${verdict.word}. ${verdict.why}`);
    next.hidden = false;
    next.focus({ preventScroll: true });
  }

  round(0);
  return { element: element('div', { class: 'row' }, ...choices.map(({ press }) => press), next), below: score };
}
