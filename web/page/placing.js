// Places the axes in the picture: beside the figures if there is room, otherwise across them. Only the visible part of an axis is
// examined, so the work does not grow with the size of the figures on the screen.

import { spanOf } from './clip.js';

/** Distance from the figures to the nearest place tried for an axis, in CSS pixels as all lengths below. */
const CLEARANCE = 24;
/** Distance between two places tried beside the figures. */
const STEP = 9;
const MOST_STEPS = 24;
/** Distance between places tried across the figures, if nothing beside them fits. */
const INNER_STEP = 27;
const MOST_INNER_STEPS = 48;
/** An axis beside the figures needs no better place if at least this length of it is visible. */
const ENOUGH = 120;
/** An axis keeps this distance from everything placed before. */
const ROOM = 20;
/** Distance between two points of an axis that are tested for room. */
const SAMPLE = 11;
/** How far the line of an axis reaches beyond the projections. */
const TAIL = 12;
/** Distance that the number of an axis keeps from the edge of the picture. */
const INSET = 10;

const dot = (p, q) => p[0] * q[0] + p[1] * q[1];
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** Which squares of the picture, a few pixels wide, are taken. */
class Room {
  static #SQUARE = 5;

  constructor(view) {
    this.columns = Math.ceil(view.width / Room.#SQUARE);
    this.rows = Math.ceil(view.height / Room.#SQUARE);
    this.taken = new Uint8Array(this.columns * this.rows);
  }

  /** Takes all squares within ROOM of a point. */
  take([x, y]) {
    const [i, j] = [x, y].map((value) => value / Room.#SQUARE - 0.5);
    const reach = ROOM / Room.#SQUARE;
    for (let row = Math.max(0, Math.ceil(j - reach)); row <= Math.min(this.rows - 1, j + reach); row += 1) {
      const half = Math.sqrt(reach ** 2 - (row - j) ** 2);
      const [from, to] = [Math.max(0, Math.ceil(i - half)), Math.min(this.columns - 1, Math.floor(i + half))];
      if (from <= to) this.taken.fill(1, row * this.columns + from, row * this.columns + to + 1);
    }
  }

  isFree(x, y) {
    const [column, row] = [Math.floor(x / Room.#SQUARE), Math.floor(y / Room.#SQUARE)];
    const isInside = column >= 0 && row >= 0 && column < this.columns && row < this.rows;
    return !isInside || this.taken[row * this.columns + column] === 0;
  }
}

/**
 * Places axes beside `figures`, rings in the world: the deciding axis first, each as near to the figures as there is room. Axes that no
 * place makes visible are left out. `wordsOf(axis)` is the label of the deciding axis. The map `memory` keeps the side chosen for each
 * axis, so that axes do not jump while the reader drags something.
 *
 * Each result has the unit vector `along` of its line on the screen; `from` and `to`, the ends of the line as numbers along it, and `bars`,
 * the two projections, all cut off shortly beyond the edge of the picture; `ends`, the projections uncut; `at(t)`, the point for such a
 * number; and `way`, 1 or -1, the side of the figures.
 */
export function placeAxes(view, { axes, origin, deciding }, figures, memory, wordsOf) {
  const corners = figures.flat().map((point) => view.toScreen(point));
  const zero = view.toScreen(origin);
  const room = new Room(view);
  for (const point of obstacles(view)) room.take(point);
  const order = [deciding, ...[...axes.keys()].filter((index) => index !== deciding)];
  return order.flatMap((index) => {
    const axis = axes[index];
    const along = [axis.normal[0], -axis.normal[1]];
    const start = dot(zero, along);
    const bars = [axis.intervalA, axis.intervalB].map((interval) => interval.map((end) => start + end * view.scale));
    const line = { index, axis, along, side: [-along[1], along[0]], bars, words: index === deciding ? wordsOf(axis) : '' };
    line.from = Math.min(bars[0][0], bars[1][0]) - TAIL;
    line.to = Math.max(bars[0][1], bars[1][1]) + TAIL;
    const key = `${axis.edgesA}/${axis.edgesB}`;
    const placed = placeAxis(view, line, corners, room, memory.get(key) ?? (line.side[1] > 0 ? 1 : -1));
    if (!placed) return [];
    memory.set(key, placed.way);
    for (const point of samplesOf(placed)) room.take(point);
    return [withinView(placed)];
  });
}

/** Points that axes keep away from: handles, and the buttons in the corner. */
function obstacles(view) {
  const handles = [...view.handles].map(({ screen }) => screen).filter(Boolean);
  const tools = [0, 1, 2, 3, 4, 5, 6].flatMap((i) => [[view.width - 48, 14 + 22 * i], [view.width - 20, 14 + 22 * i]]);
  return [...handles, ...tools];
}

/**
 * Finds the nearest free place where nothing of the axis is hidden, trying the side `first` before the other. If there is none, takes the
 * free place that hides the least: beside the figures if ENOUGH of it is visible there, else anywhere.
 */
function placeAxis(view, line, corners, room, first) {
  const beside = new Map([1, -1].map((way) => [way, Math.max(...corners.map((p) => way * dot(p, line.side))) + CLEARANCE]));
  const frame = [[0, 0], [view.width, 0], [0, view.height], [view.width, view.height]];
  const last = new Map([1, -1].map((way) => [way, Math.max(...frame.map((p) => way * dot(p, line.side)))]));
  let best = null;
  const isFound = (way, distance) => {
    for (const tip of [1, -1]) {
      const here = lineAt(view, line, way, way * distance, tip);
      if (!here || (best && here.hidden >= best.hidden) || !isFree(here, room)) continue;
      best = here;
    }
    return best?.hidden === 0;
  };
  for (let step = 0; step < MOST_STEPS; step += 1) {
    for (const way of [first, -first]) {
      const distance = beside.get(way) + STEP * step;
      if (distance <= last.get(way) && isFound(way, distance)) return best;
    }
  }
  if (best && best.seen >= ENOUGH) return best;
  const outermost = Math.min(beside.get(first), last.get(first));
  for (let step = 1; step <= MOST_INNER_STEPS; step += 1) {
    if (isFound(first, outermost - INNER_STEP * step)) return best;
  }
  // No place is free, so the axis covers something.
  return best ?? lineAt(view, line, first, first * outermost, 1) ?? lineAt(view, line, first, first * (outermost - 4 * INNER_STEP), 1);
}

/**
 * The line of an axis at `offset` from the screen's origin, with the positions of its number (`badge`) and its words (`label`) at the end
 * `tip`, 1 or -1. `seen` is how many pixels of the line are visible, from `shown[0]` to `shown[1]`, and `hidden` how many are not, with a
 * penalty for a moved number or unseen words. Null if nothing is visible.
 */
function lineAt(view, line, way, offset, tip) {
  const { along, side, from, to, words } = line;
  const at = (t) => [along[0] * t + side[0] * offset, along[1] * t + side[1] * offset];
  const span = spanOf(at(0), along, [INSET, INSET, view.width - INSET, view.height - INSET]);
  if (!span) return null;
  const shown = [Math.max(from, span[0]), Math.min(to, span[1])];
  if (shown[0] >= shown[1]) return null;
  const radius = words ? 10 : 8.5;
  // The number lies beyond the end of the line, or at the edge of the picture if the end is out of view.
  const wanted = tip > 0 ? to + radius : from - radius;
  const place = clamp(wanted, ...span);
  const badge = at(place);
  const half = words.length * 4 + 5;
  const aside = (x) => clamp(tip * x * 1.6, -1, 1);
  const label = [badge[0] + aside(along[0]) * (half + radius + 3), badge[1] + aside(along[1]) * (radius + 12)];
  const inside = clamp(label[0], half + 4, view.width - half - 4);
  // There is no room beside the number, so the words go above or below it.
  if (inside !== label[0] && Math.abs(along[0]) > 0.4) label[1] = badge[1] + Math.sign(side[1] * way || 1) * (radius + 13);
  label[0] = inside;
  const isLabelSeen = !words || (label[1] >= INSET && label[1] <= view.height - INSET);
  label[1] = clamp(label[1], 14, view.height - 14);
  const seen = shown[1] - shown[0];
  const hidden = to - from - seen + Math.abs(wanted - place) + (isLabelSeen ? 0 : ROOM);
  return { ...line, way, at, radius, badge, label, half, span, shown, seen, hidden };
}

/** Points spread over the visible part of a line, its number and its words. */
function* samplesOf({ at, badge, label, words, half, shown: [from, to] }) {
  yield badge;
  for (let t = from; t <= to; t += SAMPLE) yield at(t);
  if (!words) return;
  yield label;
  yield [label[0] - half * 0.75, label[1]];
  yield [label[0] + half * 0.75, label[1]];
}

function isFree(line, room) {
  for (const [x, y] of samplesOf(line)) if (!room.isFree(x, y)) return false;
  return true;
}

/** The line as it is drawn, cut off shortly beyond the edge of the picture. */
function withinView(placed) {
  const [low, high] = [placed.span[0] - 2 * ROOM, placed.span[1] + 2 * ROOM];
  const bars = placed.bars.map((bar) => bar.map((end) => clamp(end, low, high)));
  return { ...placed, ends: placed.bars, bars, from: clamp(placed.from, low, high), to: clamp(placed.to, low, high) };
}
