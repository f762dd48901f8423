// Explains technical terms where a part of the page first uses them.

import { element } from './controls.js';

const term = (word) => element('dfn', {}, word);

/** Explains axis, normal and projection, as nodes of two sentences. `more` is added to the end. */
export const axisAndProjection = (more = '') => [
  'An axis is the direction of a ', term('normal'), ': a unit vector perpendicular to an edge. The ', term('projection'),
  ` of a polygon on an axis is the interval that it covers there${more}.`,
];

/** Explains the stages of a simulation step. */
export const stepOfWorld = () => [
  'In each step, the ', term('broad phase'), ' finds ', term('candidate pairs'), ': two bodies whose bounding boxes meet. The narrow phase finds '
  + 'where the bodies of a pair touch, and the ', term('normal'), ' there: the direction in which they push each other apart. The solver answers.',
];

/** Explains candidate pairs, for scenes in which nothing moves. */
export const pairsOfScene = () => [
  'A ', term('candidate pair'), ' is two polygons whose bounding boxes meet; the ', term('broad phase'), ' has found them before the clock starts.',
];

/** Explains the normal of an impact, as a part of a sentence. */
export const normalOfImpact = () => ['the ', term('normal'), ', a unit vector from the body to the wall'];
