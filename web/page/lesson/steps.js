// The seven steps of the lesson. Each has one task, and `isDone` says from the picture whether the task is done.

import { number } from '../controls.js';
import { codeWalk } from './code.js';
import { pieceList } from './pieces.js';
import { relations, term, wordsOfAxis, wordsOfPair } from './words.js';

export const how = {
  dial: 'Drag the handle ↻ of the axis, or press the arrow keys on it.',
  move: 'Drag the polygon, or press the arrow keys on its handle ✥.',
};

/** How much longer than the shortest way out the reader's move may be, in units. */
const SLACK = 0.25;
/** The projection of the first step must become shorter than this, in units. */
const SHORT = 1.5;

const sayAxis = ({ dial }) => wordsOfAxis(dial.row);

export const steps = [
  {
    id: '1',
    title: 'A projection',
    text: () => [['The straight line is an ', term('axis'), '. The dotted lines meet the axis at right angles. They mark the ', term('projection'),
      ' of the polygon on the axis: the polygon’s shadow under parallel light.']],
    task: `Turn the axis until the projection is shorter than ${SHORT}.`,
    how: how.dial,
    insight: 'The length of the projection depends on the direction of the axis.',
    label: 'A long polygon, an axis and the projection on it',
    scene: { a: '-2_-0.375*2_-0.375*2_0.375*-2_0.375', pa: '0_0_30' },
    dial: { mode: 'any', degrees: 0 },
    draws: { light: true },
    say: ({ dial }) => ({ tone: 'none', sign: '↔', word: `Length ${number(dial.length, 2)}`, why: `Less than ${SHORT} is asked for.` }),
    isDone: ({ dial }) => dial.length < SHORT,
  },
  {
    id: '2',
    title: 'A gap',
    text: () => [['Now there are two polygons. On this axis their projections overlap. One such axis proves nothing. A gap on another axis proves '
      + 'that the polygons are apart.']],
    task: 'Turn the axis until there is a gap between the projections.',
    how: how.dial,
    insight: 'A straight line fits through the gap, between the polygons. An axis with a gap is called a separating axis.',
    label: 'Two polygons, an axis and both projections on it',
    scene: { a: 'triangle', pa: '-1.25_-0.5_0', b: 'square', pb: '1_1_20' },
    dial: { mode: 'any', degrees: 80 },
    say: sayAxis,
    isDone: ({ dial, answer }) => dial.row.separates && answer.relation === 'disjoint',
  },
  {
    id: '3',
    title: 'Only edge normals',
    text: () => [['An axis can have any direction, but a few are enough. If two polygons without notches are apart, a line along one of their edges has '
      + 'them on different sides. So only the directions at right angles to the edges are tested. Such a direction is a ', term('normal'), '.']],
    task: 'Here the axis turns from normal to normal. Find the normal with a gap.',
    how: how.dial,
    insight: 'The line between the polygons is parallel to the marked edge. If no edge normal has a gap, no axis has one.',
    label: 'Two polygons, the axis of a marked edge and both projections on it',
    scene: { a: 'hexagon', pa: '-1.25_-1_0', b: 'triangle', pb: '1.25_1_15' },
    dial: { mode: 'normals', degrees: 105 },
    draws: { edges: true },
    say: sayAxis,
    isDone: ({ dial, answer }) => dial.row.separates && answer.relation === 'disjoint',
  },
  {
    id: '4',
    title: 'Stop at the first gap',
    text: () => [['A program tests one edge normal after another. One gap is enough, so the program stops at the first gap.']],
    task: 'Press “Test the next axis” until the program stops.',
    label: 'Two polygons and the axes that were tested',
    scene: { a: 'triangle', pa: '-1.25_-1_195', b: 'hexagon', pb: '1.25_1_0' },
    draws: { axes: 0, edges: true },
    activity: codeWalk,
  },
  {
    id: '5',
    title: 'Touching',
    text: () => [['Projections can meet in one point. Then the axis has no gap and no overlap. If no axis has a gap and one axis has such a point, the '
      + 'polygons touch: they share points of their edges, but no points inside.']],
    task: 'Move A to the right until it touches B.',
    how: how.move,
    insight: 'Touching is an answer of its own. You decide whether it counts as a collision.',
    label: 'Two polygons, with every axis and both projections on it',
    scene: { a: 'square', pa: '-2.25_0.5_0', b: 'hexagon', pb: '1.25_0_0' },
    moves: 'a',
    draws: { axes: 'all' },
    say: ({ answer }) => wordsOfPair(answer),
    isDone: ({ answer }) => answer.relation === 'touching',
  },
  {
    id: '6',
    title: 'The shortest way out',
    text: () => [['These polygons overlap on every axis. The smallest overlap is the length of the shortest move that ends the overlap. The arrow '
      + 'shows the move. It is the ', term('minimum translation vector'), ' (MTV).']],
    task: `Move A along the arrow, out of B, by at most ${SLACK} more than the MTV.`,
    how: how.move,
    insight: 'A simulation moves bodies apart by the minimum translation vector.',
    label: 'Two polygons that overlap, and the shortest way out of A',
    scene: { a: 'square', pa: '-1_0.25_0', b: 'square', pb: '0.75_-0.25_0' },
    moves: 'a',
    draws: { axes: 'all', wayOut: true },
    say: (stage) => {
      const why = `A has moved ${number(stage.moved, 2)}. The MTV has length ${number(stage.start.depth, 2)}.`;
      return { ...relations[stage.answer.relation], why: isFar(stage) ? `${why} This move is too long.` : why };
    },
    isDone: (stage) => stage.answer.relation !== 'overlapping' && !isFar(stage),
  },
  {
    id: '7',
    title: 'Polygons with a notch',
    text: () => [['A polygon with a notch is ', term('concave'), '; one without is ', term('convex'), '. The theorem holds for convex polygons. A concave '
      + 'polygon is cut into convex pieces. Two polygons are disjoint if every pair of their pieces is disjoint.']],
    task: 'Move B into the notch of A, so that every pair of pieces is disjoint.',
    how: how.move,
    insight: 'No straight line fits between these polygons. The pieces show that they are apart.',
    label: 'Two concave polygons and their convex pieces',
    scene: { a: 'corner', pa: '-0.75_-0.75_0', b: '-0.75_-0.625*0_-0.25*0.75_-0.625*0_0.75', pb: '2.25_1.5_0' },
    moves: 'b',
    /** The ring of A with its notch filled. B must meet it, else B was moved past A instead of into the notch. */
    hull: [[-2.25, -2.25], [0.75, -2.25], [0.75, -1.25], [-1.25, 0.75], [-2.25, 0.75]],
    draws: { pieces: true },
    say: ({ answer }) => ({ ...relations[answer.relation], why: answer.relation === 'disjoint' ? 'Every pair of pieces is disjoint.' : 'At least one pair of pieces meets.' }),
    isDone: (stage) => stage.answer.relation === 'disjoint' && stage.relationOf(steps[6].hull, stage.answer.b.ring) !== 'disjoint',
    activity: pieceList,
  },
];

function isFar(stage) {
  return stage.moved > stage.start.depth + SLACK;
}
