// Draws the axes of the separating axis theorem: for each axis, a line beside the polygons, with both projections on it.

import { drawText } from './canvas.js';
import { clipped } from './clip.js';
import { number } from './controls.js';

/** Distance between the line of an axis and a projection drawn along it, in CSS pixels. */
const BAR = 5;

/** The relation of the two projections on an axis: `apart`, `touch` or `meets`. It determines the colour and the sign of the axis. */
export const toneOf = (axis) => (axis.separates ? 'apart' : axis.overlap === 0 ? 'touch' : 'meets');

/** The signs that say the same as the colours. */
export const signs = { apart: '○', touch: '◐', meets: '●' };

/** The label of an axis, such as `gap 0.500` or `overlap 0.500`, with as many digits as the table shows. */
export function wordsOf(axis) {
  if (axis.overlap === 0) return 'projections touch';
  return axis.separates ? `gap ${number(-axis.overlap)}` : `overlap ${number(axis.overlap)}`;
}

/** Draws the axes that `placeAxes` placed, the most important one on top. `strong` are the indices of highlighted axes. */
export function drawAxes(context, placed, colours, strong) {
  for (const entry of [...placed].reverse()) drawAxis(context, entry, colours, strong.includes(entry.index));
}

function drawAxis(context, entry, colours, isStrong) {
  const { axis, at, bars, from, to, side, way } = entry;
  const tone = toneOf(axis);
  const colour = tone === 'apart' ? colours.apart : colours.meets;
  const line = (p, q) => {
    context.beginPath();
    context.moveTo(...p);
    context.lineTo(...q);
    context.stroke();
  };
  const shifted = ([x, y], by) => [x + side[0] * by, y + side[1] * by];
  context.save();
  context.globalAlpha = isStrong ? 1 : 0.62;
  // Green and solid if the projections are apart, vermilion and dashed if not.
  context.strokeStyle = colour;
  context.lineWidth = isStrong ? 2.5 : 1.25;
  context.setLineDash(tone === 'apart' ? [] : [6, 4]);
  line(at(from), at(to));
  context.setLineDash([]);
  const [a, b] = bars;
  const [low, high] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  if (low !== high) {
    context.fillStyle = colour;
    context.globalAlpha *= isStrong ? 0.28 : 0.16;
    const half = isStrong ? 13 : 10;
    const [p, q] = [at(Math.min(low, high)), at(Math.max(low, high))];
    context.beginPath();
    for (const corner of [shifted(p, half), shifted(q, half), shifted(q, -half), shifted(p, -half)]) context.lineTo(...corner);
    context.fill();
    context.globalAlpha = isStrong ? 1 : 0.62;
  }
  context.lineCap = 'round';
  context.lineWidth = isStrong ? 6 : 4;
  for (const [bar, paint, by] of [[a, colours.a, way * -BAR], [b, colours.b, way * BAR]]) {
    context.strokeStyle = context.fillStyle = paint;
    if (bar[1] > bar[0]) {
      line(shifted(at(bar[0]), by), shifted(at(bar[1]), by));
    } else {
      // The projection of a point is a single number: draw a dot.
      context.beginPath();
      context.arc(...at(bar[0]), isStrong ? 6 : 4.5, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.restore();
  drawBadge(context, entry, tone, colour, isStrong, colours);
}

/** Draws the number of the axis in a circle, hollow if the axis separates and filled if not. The deciding axis also gets its label. */
function drawBadge(context, { index, badge, radius, label, words }, tone, colour, isStrong, colours) {
  context.beginPath();
  context.arc(...badge, isStrong ? 10 : radius, 0, 2 * Math.PI);
  context.fillStyle = tone === 'apart' ? colours.card : colour;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.stroke();
  drawText(context, String(index + 1), badge, { colour: tone === 'apart' ? colour : colours.card, bold: true, size: 11 });
  if (words) drawText(context, words, label, { colour, paper: colours.card, bold: true });
}

/** Shows where the projections on an axis come from: draws rays from the outermost corners of each ring to the axis. */
export function drawRays(context, view, { at, along, ends }, rings, colours) {
  context.save();
  context.lineWidth = 1;
  context.setLineDash([2, 4]);
  context.globalAlpha = 0.8;
  rings.forEach((ring, i) => {
    context.strokeStyle = i === 0 ? colours.a : colours.b;
    const screen = ring.map((point) => view.toScreen(point));
    const place = (p) => p[0] * along[0] + p[1] * along[1];
    for (const end of ends[i]) {
      const foot = at(end);
      const distance = (p) => Math.hypot(p[0] - foot[0], p[1] - foot[1]);
      const casting = screen.filter((p) => Math.abs(place(p) - end) < 0.75);
      const nearest = casting.reduce((best, p) => (!best || distance(p) < distance(best) ? p : best), null);
      const seen = nearest && clipped(nearest, foot, view.frameBox);
      if (!seen) continue;
      context.beginPath();
      context.moveTo(...seen[0]);
      context.lineTo(...seen[1]);
      context.stroke();
    }
  });
  context.restore();
}

/**
 * Draws a polygon: its area, its outline, and the outlines of its convex pieces if it has several. `name` is written below `at`, a point
 * of the world; `piece` is the index of a highlighted piece.
 */
export function drawOutline(context, view, { ring, pieces }, colour, { name = '', at = null, colours, piece = -1 } = {}) {
  context.save();
  const path = view.path(ring);
  context.fillStyle = colour;
  context.globalAlpha = 0.16;
  context.fill(path);
  if (pieces.length > 1) {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    pieces.forEach((corners, i) => {
      context.globalAlpha = 0.14;
      if (i === piece) context.fill(view.path(corners));
      context.globalAlpha = 0.7;
      context.stroke(view.outline(corners));
    });
    context.setLineDash([]);
  }
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 2.25;
  context.lineJoin = 'round';
  context.stroke(view.outline(ring));
  context.restore();
  if (name) drawText(context, name, [view.toScreen(at)[0], view.toScreen(at)[1] + 24], { colour, bold: true, size: 15 });
}

/** Draws corners that form no valid polygon, as a dashed outline. */
export function drawBroken(context, view, corners, colour) {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.setLineDash([5, 5]);
  context.stroke(view.outline(corners));
  context.restore();
}
