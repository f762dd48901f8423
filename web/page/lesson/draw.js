// Draws the picture of the lesson: the polygons, and the items that the fields of `draws` select.

import { drawAxes, drawOutline, drawRays, wordsOf } from '../axes.js';
import { drawArrow, drawGrid, drawText } from '../canvas.js';
import { placeAxes } from '../placing.js';

/**
 * Draws a stage. The fields of its `draws`, all optional:
 *
 * - `axes`: how many axes to draw, with the last one highlighted; or "all", with the deciding one highlighted.
 * - `edges`: whether to mark the edges of the highlighted axis.
 * - `wayOut`: whether to draw the shortest move of A out of B, from A's first position.
 * - `pieces`: whether to number the convex pieces.
 * - `light`, `isPlain`: see `Dial.draw`.
 */
export function draw(context, stage) {
  const { view, app, answer, outlines, draws, dial } = stage;
  const colours = app.colours();
  drawGrid(context, view, colours);
  if (draws.axes) drawTested(context, stage, colours);
  if (dial.mode) dial.draw(context, outlines, colours, draws);
  [colours.a, colours.b].slice(0, outlines.length).forEach((colour, i) => {
    const body = stage.bodies[i];
    drawOutline(context, view, outlines[i], colour, { colours });
    if (draws.pieces) drawNumbers(context, stage, body, outlines[i].pieces, colour);
    drawText(context, body.label, nameOf(stage, body, outlines[i]), { colour, bold: true, size: 15 });
  });
  if (draws.edges) drawEdges(context, stage, colours);
  if (draws.wayOut) drawWayOut(context, stage, colours);
  if (draws.axes === 'all' && answer.relation === 'touching') for (const contact of answer.contacts) drawContact(context, view, contact, colours);
}

/** Least distance between a handle and the number of a piece, in CSS pixels. */
const CLEAR = 24;

const middleOf = (ring) => [0, 1].map((i) => ring.reduce((sum, corner) => sum + corner[i], 0) / ring.length);

/** The position of a polygon's name: below its handle if it has one, else at its outline if pieces have numbers, else in its middle. */
function nameOf({ view, draws, movable }, { kind, x, y }, { ring, pieces }) {
  if (movable.includes(kind)) {
    const [left, top] = view.toScreen([x, y]);
    return [left, top + 24];
  }
  // The numbers of pieces are in the middles of the pieces, so the name goes beside the first corner.
  if (draws.pieces) {
    const [left, top] = view.toScreen(ring[0]);
    return [left - 12, top];
  }
  return view.toScreen(middleOf(pieces[0]));
}

/** Draws a number in the middle of each piece, but not over the handle. */
function drawNumbers(context, { view, app, movable }, { kind, x, y }, pieces, colour) {
  const handle = view.toScreen([x, y]);
  pieces.forEach((piece, i) => {
    const middle = view.toScreen(middleOf(piece));
    const way = middle.map((value, k) => value - handle[k]);
    const distance = Math.hypot(...way);
    const at = movable.includes(kind) && distance < CLEAR ? handle.map((value, k) => value + (way[k] / distance) * CLEAR) : middle;
    drawText(context, String(i + 1), at, { colour, paper: app.colours().card, bold: true, size: 12 });
  });
}

/** The index of the highlighted axis, or -1 for none. */
function strongOf({ answer, draws, dial }) {
  if (dial.mode === 'normals') return dial.rowIndex;
  if (draws.axes === 'all') return answer.deciding;
  return (draws.axes ?? 0) - 1;
}

function drawTested(context, stage, colours) {
  const { view, answer, draws, sides } = stage;
  const deciding = strongOf(stage);
  const axes = draws.axes === 'all' ? answer.axes : answer.axes.slice(0, draws.axes);
  const rings = [answer.a.ring, answer.b.ring];
  const placed = placeAxes(view, { axes, origin: answer.origin, deciding }, rings, sides, wordsOf);
  drawAxes(context, placed, colours, [deciding]);
  for (const entry of placed.filter(({ index }) => index === deciding)) drawRays(context, view, entry, rings, colours);
}

/** Marks the edges of the highlighted axis, each with an arrow along its normal. */
function drawEdges(context, stage, colours) {
  const { view, answer } = stage;
  const axis = answer.axes[strongOf(stage)];
  if (!axis) return;
  context.save();
  context.lineCap = 'round';
  for (const [ring, edges] of [[answer.a.ring, axis.edgesA], [answer.b.ring, axis.edgesB]]) {
    for (const edge of edges) {
      const [p, q] = [ring[edge], ring[(edge + 1) % ring.length]];
      const [from, to] = [view.toScreen(p), view.toScreen(q)];
      for (const [colour, width] of [[colours.ink, 7], [colours.mark, 4]]) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.beginPath();
        context.moveTo(...from);
        context.lineTo(...to);
        context.stroke();
      }
      // Rings are counter-clockwise in the world, so this arrow points outward.
      const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
      const middle = [0, 1].map((i) => (from[i] + to[i]) / 2);
      const tip = [middle[0] + ((q[1] - p[1]) / length) * 30, middle[1] + ((q[0] - p[0]) / length) * 30];
      drawArrow(context, middle, tip, { colour: colours.ink, width: 2, head: 8 });
    }
  }
  context.restore();
}

/** Draws the minimum translation vector of A as an arrow from A's first position, and the outline of A at its end. */
function drawWayOut(context, { view, start, from }, colours) {
  const way = start.minimumTranslation;
  const moved = (p) => p.map((x, i) => x + way[i]);
  context.save();
  context.setLineDash([5, 4]);
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.stroke(view.outline(start.a.ring.map(moved)));
  context.restore();
  // The arrow is drawn above the handle, so that neither hides the other.
  const up = 34;
  const [p, q] = [from, moved(from)].map((point) => view.toScreen(point)).map(([x, y]) => [x, y - up]);
  drawArrow(context, p, q, { colour: colours.ink, width: 3, head: 12 });
}

function drawContact(context, view, contact, colours) {
  context.beginPath();
  context.arc(...view.toScreen(contact), 5, 0, 2 * Math.PI);
  context.fillStyle = colours.mark;
  context.fill();
  context.lineWidth = 1.75;
  context.strokeStyle = colours.ink;
  context.stroke();
}
