// Words of the field, each explained where it first stands in a part of the page.

import { element } from './controls.js';

const term = (word) => element('dfn', {}, word);

/** What an axis, a normal and a projection are, as nodes of a sentence or two. */
export const axisAndProjection = (more = '') => [
  'An axis is the direction of a ', term('normal'), ': a unit vector perpendicular to an edge. The ', term('projection'),
  ` of a polygon on an axis is the interval that it covers there${more}.`,
];

/** What the stages of a step of a simulation are. */
export const stepOfWorld = () => [
  'In each step, the ', term('broad phase'), ' finds ', term('candidate pairs'), ': two bodies whose bounding boxes meet. The narrow phase finds '
  + 'where the bodies of a pair touch, and the ', term('normal'), ' there: the direction in which they push each other apart. The solver answers.',
];

/** What a candidate pair is, where polygons lie still. */
export const pairsOfScene = () => [
  'A ', term('candidate pair'), ' is two polygons whose bounding boxes meet; the ', term('broad phase'), ' has found them before the clock starts.',
];

/** The normal of an impact. */
export const normalOfImpact = () => ['the ', term('normal'), ', a unit vector from the body to the wall'];
