// What the picture of the lesson shows, by the fields of `draws`: the axes that were tested, marked edges, the way out, convex pieces.

import { drawAxes, drawOutline, drawRays, wordsOf } from '../axes.js';
import { drawArrow, drawGrid, drawText } from '../canvas.js';
import { placeAxes } from '../placing.js';

/**
 * `axes`: how many axes are drawn, the last one strong, or "all", the deciding one strong; `edges`: whether the edges of the strong axis
 * are marked; `wayOut`: the shortest move out of the first position; `pieces`: whether pieces have numbers; `light`, `isPlain`: see `Dial`.
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

/** From a handle to a number, in CSS pixels. */
const CLEAR = 24;

const middleOf = (ring) => [0, 1].map((i) => ring.reduce((sum, corner) => sum + corner[i], 0) / ring.length);

/** Where the name of a polygon stands: below its handle, or in its middle. */
function nameOf({ view, draws, movable }, { kind, x, y }, { ring, pieces }) {
  if (movable.includes(kind)) {
    const [left, top] = view.toScreen([x, y]);
    return [left, top + 24];
  }
  // Beside the outline, where pieces have numbers.
  if (draws.pieces) {
    const [left, top] = view.toScreen(ring[0]);
    return [left - 12, top];
  }
  return view.toScreen(middleOf(pieces[0]));
}

/** In the middle of each piece, but clear of a handle. */
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

/** The index of the axis that stands out, or -1. */
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

/** The edges of the strong axis, each with its normal. */
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
      // Outward, since rings are counter-clockwise.
      const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
      const middle = [0, 1].map((i) => (from[i] + to[i]) / 2);
      const tip = [middle[0] + ((q[1] - p[1]) / length) * 30, middle[1] + ((q[0] - p[0]) / length) * 30];
      drawArrow(context, middle, tip, { colour: colours.ink, width: 2, head: 8 });
    }
  }
  context.restore();
}

/** The minimum translation vector of A from where it began, and A at its end. */
function drawWayOut(context, { view, start, from }, colours) {
  const way = start.minimumTranslation;
  const moved = (p) => p.map((x, i) => x + way[i]);
  context.save();
  context.setLineDash([5, 4]);
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.stroke(view.outline(start.a.ring.map(moved)));
  context.restore();
  // Above the handle, so that neither hides the other.
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
