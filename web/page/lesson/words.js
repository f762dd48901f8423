// Puts the library's answers into the words of the lesson.

import { toneOf } from '../axes.js';
import { element, number } from '../controls.js';

export const relations = {
  disjoint: { tone: 'apart', sign: '○', word: 'Disjoint' },
  touching: { tone: 'touch', sign: '◐', word: 'Touching' },
  overlapping: { tone: 'meets', sign: '●', word: 'Overlapping' },
};

/** What an axis, `{ overlap, separates }`, shows, in words for `Verdict`. */
export function wordsOfAxis(axis) {
  return {
    apart: { tone: 'apart', sign: '○', word: 'Gap', why: `The projections are ${number(-axis.overlap, 2)} apart.` },
    touch: { tone: 'touch', sign: '◐', word: 'No gap', why: 'The projections meet in one point.' },
    meets: { tone: 'meets', sign: '●', word: 'No gap', why: `The projections overlap by ${number(axis.overlap, 2)}.` },
  }[toneOf(axis)];
}

/** The relation of two polygons and the axis that decides it, in words for `Verdict`. */
export function wordsOfPair({ relation, axes, deciding, depth, distance }) {
  const why = {
    disjoint: `Axis ${deciding + 1} has a gap. The distance is ${number(distance, 2)}.`,
    touching: `No axis has a gap. On axis ${deciding + 1} the projections meet in one point.`,
    overlapping: `The projections overlap on every axis. The smallest of the ${axes.length} overlaps is ${number(depth, 2)}.`,
  }[relation];
  return { ...relations[relation], why };
}

export const term = (word) => element('dfn', {}, word);
