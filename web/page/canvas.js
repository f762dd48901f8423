// A picture of a plane whose y axis points up: converts between world and screen, zooms, pans, and stays sharp at any pixel density.

import { clipped } from './clip.js';
import { element } from './controls.js';
import { listenForGestures, zoomTools } from './gestures.js';
import { drawLeaders, placeHandles, takeNearest } from './spread.js';

const LEAST_ZOOM = 0.25;
const MOST_ZOOM = 8;

/** Free space around the content after "Show all", where the axes lie, as a multiple of the size of the content. */
const MARGIN = 0.5;

/**
 * A canvas in `container` with a layer of handles over it. At first it shows at least `box`, `[[x, y], [x, y]]` in the world.
 *
 * `content()` returns points of the world that "Show all" brings into view. `draw(context, view)` draws the picture, in CSS pixels. After
 * any number of calls of `redraw`, it is called once, before the next frame.
 */
export class View {
  constructor(container, { label, box, draw, content = () => [], tools = true }) {
    this.canvas = element('canvas', { class: 'view-canvas', role: 'img', 'aria-label': label });
    this.layer = element('div', { class: 'view-handles' });
    this.frame = element('div', { class: 'view' }, this.canvas, this.layer);
    if (tools) this.frame.append(zoomTools(this));
    container.append(this.frame);
    this.box = box;
    this.draw = draw;
    this.content = content;
    this.zoom = 1;
    this.leastZoom = LEAST_ZOOM;
    this.shift = [0, 0];
    this.handles = new Set();
    this.context = this.canvas.getContext('2d');
    new ResizeObserver(() => {
      [this.width, this.height] = [this.frame.clientWidth, this.frame.clientHeight];
      this.redraw(true);
    }).observe(this.frame);
    takeNearest(this.layer, this);
    listenForGestures(this.frame, this.canvas, this);
  }

  #pending = 0;
  #isFitting = false;
  /** Zoom and shift after "Show all". */
  #whole = { zoom: 1, shift: [0, 0] };

  /** Size in CSS pixels; 0 while the picture is hidden. Stored here, because asking the browser makes it lay out the page. */
  width = 0;
  height = 0;

  /** CSS pixels per unit of the world. */
  get scale() {
    return this.zoom * Math.min(this.width / (this.box[1][0] - this.box[0][0]), this.height / (this.box[1][1] - this.box[0][1]));
  }

  get centre() {
    return [0, 1].map((i) => (this.box[0][i] + this.box[1][i]) / 2 + this.shift[i]);
  }

  toScreen([x, y]) {
    const [cx, cy] = this.centre;
    return [this.width / 2 + (x - cx) * this.scale, this.height / 2 - (y - cy) * this.scale];
  }

  toWorld([x, y]) {
    const [cx, cy] = this.centre;
    return [cx + (x - this.width / 2) / this.scale, cy - (y - this.height / 2) / this.scale];
  }

  /** The position of a pointer event, in CSS pixels from the top left of the picture. */
  pointer(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  /** Draws before the next frame. With `now`, draws at once: after a change of size, waiting would make the picture flicker. */
  redraw(now = false) {
    if (now) {
      cancelAnimationFrame(this.#pending);
      this.#pending = 0;
      this.#draw();
    } else {
      this.#pending ||= requestAnimationFrame(() => {
        this.#pending = 0;
        this.#draw();
      });
    }
  }

  /** The path along points of the world, closed unless `close` is false. */
  path(points, close = true) {
    const path = new Path2D();
    points.forEach((point, i) => path[i ? 'lineTo' : 'moveTo'](...this.toScreen(point)));
    if (close) path.closePath();
    return path;
  }

  /** The visible area and a margin wider than any line, `[left, top, right, bottom]`. Nothing outside it is visible. */
  get frameBox() {
    return [-16, -16, this.width + 16, this.height + 16];
  }

  /** The visible part of the closed outline along points of the world, as a path to be stroked. */
  outline(points) {
    const path = new Path2D();
    const screen = points.map((point) => this.toScreen(point));
    let pen = null;
    let isWhole = true;
    screen.forEach((p, i) => {
      const q = screen[(i + 1) % screen.length];
      const seen = clipped(p, q, this.frameBox);
      isWhole &&= seen?.[0] === p && seen[1] === q;
      if (!seen) return;
      if (seen[0] !== pen) path.moveTo(...seen[0]);
      path.lineTo(...seen[1]);
      pen = seen[1];
    });
    if (isWhole) path.closePath();
    return path;
  }

  /** Shows the box, and all of the content if some of it lies outside the box. */
  fit() {
    this.#isFitting = true;
    this.redraw();
  }

  /** Shows all if any of these points of the world is out of view. */
  keepInView(points) {
    const isSeen = ([x, y]) => x >= 0 && y >= 0 && x <= this.width && y <= this.height;
    if (!points.every((point) => isSeen(this.toScreen(point)))) this.fit();
  }

  #fit() {
    this.#isFitting = false;
    this.zoom = 1;
    this.shift = [0, 0];
    this.#whole = { zoom: 1, shift: [0, 0] };
    const points = this.content();
    const isInside = ([x, y]) => [x, y].every((value, i) => value >= this.box[0][i] && value <= this.box[1][i]);
    if (points.every(isInside)) return;
    const [low, high] = [Math.min, Math.max].map((end) => [0, 1].map((i) => points.reduce((most, point) => end(most, point[i]), points[0][i])));
    const size = [0, 1].map((i) => (high[i] - low[i]) * (1 + MARGIN));
    this.zoom = Math.min(1, Math.min(this.width / size[0], this.height / size[1]) / this.scale);
    this.shift = [0, 1].map((i) => (low[i] + high[i] - this.box[0][i] - this.box[1][i]) / 2);
    this.leastZoom = Math.min(LEAST_ZOOM, this.zoom);
    this.#whole = { zoom: this.zoom, shift: this.shift };
  }

  zoomBy(factor, around = [this.width / 2, this.height / 2]) {
    const before = this.toWorld(around);
    this.zoom = Math.min(MOST_ZOOM, Math.max(this.leastZoom, this.zoom * factor));
    const after = this.toWorld(around);
    this.shift = this.shift.map((x, i) => x + before[i] - after[i]);
    this.redraw();
  }

  panBy([dx, dy]) {
    this.shift = [this.shift[0] - dx / this.scale, this.shift[1] + dy / this.scale];
    this.redraw();
  }

  /** Whether the picture shows another part of the world than after "Show all". */
  get isMoved() {
    const { zoom, shift } = this.#whole;
    return this.zoom !== zoom || this.shift.some((x, i) => x !== shift[i]);
  }

  /** Whether the picture is zoomed in compared with "Show all". */
  get isEnlarged() {
    return this.zoom > this.#whole.zoom;
  }

  #draw() {
    const { width, height, canvas, context } = this;
    // The picture is hidden or not laid out yet.
    if (width === 0 || height === 0) return;
    if (this.#isFitting) this.#fit();
    const density = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * density), Math.round(height * density)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    this.frame.dataset.scale = String(this.scale);
    this.frame.classList.toggle('moved', this.isMoved);
    placeHandles(this);
    this.draw(context, this);
    drawLeaders(context, this);
    for (const handle of this.handles) handle.place();
  }
}

/** The least distance between lines of the grid, in CSS pixels. */
const LEAST_SQUARE = 14;

/** Draws grid lines 1 unit apart, or 5, 10, 50, ... if they would be too close on the screen. Lines through the origin are stronger. */
export function drawGrid(context, view, colours) {
  const [[left, top], [right, bottom]] = [view.toWorld([0, 0]), view.toWorld([view.width, view.height])];
  const least = LEAST_SQUARE / view.scale;
  const ten = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = [1, 5, 10].map((part) => part * ten).find((size) => size >= least) ?? 10 * ten;
  context.lineWidth = 1;
  for (const [from, to, along] of [[left, right, 0], [bottom, top, 1]]) {
    const first = Math.ceil(from / step);
    // Counts lines instead of adding `step`: far from the origin `k + step` may equal `k`, and the loop would never end.
    const count = Math.min(Math.floor(to / step) - first, Math.max(view.width, view.height) / LEAST_SQUARE);
    for (let i = 0; i <= count; i += 1) {
      const k = (first + i) * step;
      const at = view.toScreen(along === 0 ? [k, 0] : [0, k])[along];
      context.strokeStyle = k === 0 ? colours.line : colours.grid;
      context.beginPath();
      if (along === 0) context.moveTo(at, 0), context.lineTo(at, view.height);
      else context.moveTo(0, at), context.lineTo(view.width, at);
      context.stroke();
    }
  }
}

/** Draws an arrow between two points of the screen. */
export function drawArrow(context, from, to, { colour, width = 2.5, head = 9 }) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 1) return;
  const [ux, uy] = [dx / length, dy / length];
  const tip = Math.min(head, length);
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(to[0] - ux * tip * 0.8, to[1] - uy * tip * 0.8);
  context.stroke();
  context.beginPath();
  context.moveTo(...to);
  context.lineTo(to[0] - ux * tip - uy * tip * 0.55, to[1] - uy * tip + ux * tip * 0.55);
  context.lineTo(to[0] - ux * tip + uy * tip * 0.55, to[1] - uy * tip - ux * tip * 0.55);
  context.closePath();
  context.fill();
}

/** Writes text on the picture. With the colour `paper`, a plate of that colour lies under it, so that lines do not cross the text. */
export function drawText(context, text, [x, y], { colour, paper, align = 'center', bold = false, size = 13 }) {
  context.font = `${bold ? '600 ' : ''}${size}px system-ui, sans-serif`;
  context.textAlign = align;
  context.textBaseline = 'middle';
  if (paper) {
    const width = context.measureText(text).width + 8;
    const left = align === 'center' ? x - width / 2 : align === 'left' ? x - 4 : x - width + 4;
    context.fillStyle = paper;
    context.globalAlpha = 0.85;
    context.beginPath();
    context.roundRect(left, y - size * 0.75, width, size * 1.5, 4);
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
