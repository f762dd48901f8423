// The stops after the steps: three challenges, and the classic cases.

import { button, number } from '../controls.js';
import { caseCards } from './case-cards.js';
import { predict } from './predict.js';
import { how } from './steps.js';
import { cases } from './cases.js';
import { relations, wordsOfAxis, wordsOfPair } from './words.js';

const asks = { tone: 'none', sign: '?', word: 'Your answer', why: 'The library checks it.' };

/** An activity with a button that checks the reader's answer. `judge(stage)` returns `{ isRight, words, insight }`. */
function check(text, judge) {
  return (lesson) => ({
    element: button(text, () => {
      const { isRight, words, insight } = judge(lesson.stage);
      lesson.say(words);
      if (isRight) lesson.complete(insight);
      else lesson.announce(`Not yet. ${words.word}. ${words.why}`);
    }),
  });
}

export const challenges = [
  {
    id: 'find',
    title: 'Find the separating axis',
    text: () => [['Upright boxes around these polygons overlap, but the polygons are apart.']],
    task: 'Turn the axis until there is a gap between the projections, then press the button.',
    how: how.dial,
    label: 'Two polygons that are close together, an axis and both projections on it',
    scene: { a: 'needle', pa: '0.75_0.625_125', b: 'irregular', pb: '-0.75_-0.5_10' },
    dial: { mode: 'any', degrees: 100 },
    draws: { isPlain: true },
    say: () => asks,
    activity: check('This axis separates them', ({ dial }) => ({
      isRight: dial.row.separates,
      words: wordsOfAxis(dial.row),
      insight: 'The axis separates the polygons. The best axes are at right angles to the long edges of the needle.',
    })),
  },
  {
    id: 'touch',
    title: 'Make them touch exactly',
    text: () => [['The tolerance is 0: the library decides exactly. The smallest gap is “disjoint”, and the smallest overlap is “overlapping”. A moves in '
      + 'steps of 1/8, and some of these places touch.']],
    task: 'Move A until it touches B, then press the button.',
    how: how.move,
    label: 'Two polygons',
    scene: { a: 'triangle', pa: '-2.25_-0.5_0', b: 'hexagon', pb: '1.25_0_0' },
    moves: 'a',
    say: () => asks,
    activity: check('They touch now', ({ answer }) => {
      const why = { disjoint: `The distance is ${number(answer.distance)}.`, touching: 'No gap and no overlap.', overlapping: `They overlap by ${number(answer.depth)}.` };
      return {
        isRight: answer.relation === 'touching',
        words: { ...relations[answer.relation], why: why[answer.relation] },
        insight: 'The polygons touch exactly. No rounding decided it.',
      };
    }),
  },
  {
    id: 'predict',
    title: 'Predict the answer',
    text: () => [['Look at the polygons first. The axes are shown after your answer.']],
    task: 'Say how the polygons lie, in five rounds.',
    label: 'Two polygons',
    scene: cases[0].scene,
    activity: predict,
  },
  {
    id: 'cases',
    title: 'Classic cases',
    text: () => [['Choose a case. The picture shows every axis.']],
    label: 'Two polygons, with every axis and both projections on it',
    scene: cases[0].scene,
    draws: { axes: 'all' },
    say: ({ answer }) => wordsOfPair(answer),
    activity: caseCards,
  },
];
