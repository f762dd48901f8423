// Lets the reader grab bodies by pointer, touch and keys. While the world is playing, the pointer pulls a body along. Otherwise,
// it throws the body.

import { drawArrow } from '../canvas.js';

/** A thrown body gets the velocity that would take it along the arrow in this many seconds. */
const SECONDS = 0.5;
/** In pixels: a shorter drag selects a body without throwing it. */
const LEAST_THROW = 6;
/** How near a body the pointer must be to grab it, in pixels. */
const NEAR = { mouse: 6, pen: 10, touch: 24 };
/** Speed of a throw by keys: this fraction of the world's height per second. */
const KEY_SPEED = 0.6;
/** A pulled body gets the velocity that would take it to the pointer in this many seconds. */
const PULL = 0.08;
const KEYS = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };
const DIRECTIONS = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] };

export class Hand {
  constructor(part) {
    this.part = part;
    this.from = null;
    this.to = null;
    const { paper } = part;
    paper.addEventListener('pointerdown', (event) => this.#down(event));
    paper.addEventListener('pointermove', (event) => this.#move(event));
    paper.addEventListener('pointerup', (event) => this.#up(event));
    paper.addEventListener('pointercancel', () => this.letGo());
    paper.addEventListener('keydown', (event) => this.#key(event));
  }

  get isHolding() {
    // Until `pick` has answered, `selected` is still the body that was selected before.
    return Boolean(this.isPicked && this.from && this.to && this.part.selected !== null);
  }

  /** Draws the arrow of a throw or of a pull. */
  draw(context, view, colours) {
    if (this.isHolding) {
      drawArrow(context, this.from, this.to, { colour: colours.background, width: 7, head: 16 });
      drawArrow(context, this.from, this.to, { colour: colours.contact, width: 3, head: 13 });
    }
  }

  /** Called after each step: makes the held body go on towards the pointer. */
  async pull(simulation) {
    if (!this.isPulling || !this.isHolding) return;
    const { selected, camera, bounds, section } = this.part;
    const [x, y] = await simulation.body(selected);
    if (!this.isHolding) return;
    const { view } = camera;
    this.from = view.toScreen([x, y]);
    const to = view.toWorld(this.to);
    const way = [to[0] - x, to[1] - y];
    // The greatest speed crosses the world in a quarter of a second.
    const most = 4 * Math.hypot(bounds[2] - bounds[0], bounds[3] - bounds[1]);
    const factor = Math.min(1 / PULL, most / (Math.hypot(...way) || 1));
    simulation.throw(selected, way[0] * factor, way[1] * factor);
    section.dataset.pulled = selected;
  }

  #at(event) {
    return this.part.camera.pointer(event);
  }

  #down(event) {
    if (event.button !== 0 || !this.part.player.simulation) return;
    this.part.paper.setPointerCapture(event.pointerId);
    // Keeps `listenForGestures` from panning: `#move` pans if no body lies here.
    event.preventDefault();
    const { player } = this.part;
    const { view } = this.part.camera;
    this.isPulling = player.isRunning;
    this.isPicked = false;
    this.from = this.#at(event);
    this.to = null;
    if (this.part.adder.isOn) return;
    const [x, y] = view.toWorld(this.from);
    const within = (NEAR[event.pointerType] ?? NEAR.mouse) / view.scale;
    this.picking = player.do(async (simulation) => {
      const slot = (await simulation.pick(x, y, within)) ?? null;
      simulation.select(slot ?? undefined);
      this.#chosen(slot);
      this.isPicked = true;
      if (this.from) this.part.section.dataset.held = slot ?? 'ground';
    });
    this.picking.then(() => this.#redraw());
  }

  #move(event) {
    if (!this.from) return;
    const before = this.to ?? this.from;
    this.to = this.#at(event);
    if (this.part.adder.isOn || (this.isPicked && this.part.selected === null)) {
      this.part.camera.panBy([this.to[0] - before[0], this.to[1] - before[1]]);
    } else {
      this.#redraw();
    }
  }

  async #up(event) {
    if (!this.from) return;
    const { player, app, section } = this.part;
    const { view } = this.part.camera;
    const to = this.#at(event);
    const way = [to[0] - this.from[0], this.from[1] - to[1]];
    // A body that was pulled keeps its velocity and is not thrown.
    const isPulled = this.isPulling && player.isRunning;
    this.letGo();
    if (this.part.adder.isOn) {
      // A longer drag has moved the picture, and adds no body.
      if (Math.hypot(...way) < LEAST_THROW) this.part.adder.at(view.toWorld(to));
      return;
    }
    await this.picking;
    if (isPulled) return;
    const slot = this.part.selected;
    if (slot !== null && Math.hypot(...way) >= LEAST_THROW) {
      const velocity = way.map((x) => x / view.scale / SECONDS);
      await player.do((simulation) => simulation.throw(slot, ...velocity));
      section.dataset.thrown = Number(section.dataset.thrown ?? 0) + 1;
      app.announce(`body ${slot} thrown`);
    }
    this.#redraw();
  }

  letGo() {
    this.from = null;
    this.to = null;
    delete this.part.section.dataset.held;
  }

  #chosen(slot) {
    this.part.selected = slot;
    if (slot === null) delete this.part.section.dataset.selected;
    else this.part.section.dataset.selected = slot;
  }

  #redraw() {
    if (!this.part.player.isRunning) this.part.player.redraw();
  }

  #key(event) {
    const { part } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = KEYS[event.key];
    if (way && part.selected !== null) this.#throw(way);
    else if (way) part.turn(way);
    else if (event.key === ' ') part.toggle();
    else if (event.key === '.') part.one();
    else if (event.key.toLowerCase() === 'r') part.reverse();
    else if (event.key.toLowerCase() === 'n') this.#next(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') part.select(null).then(() => this.#redraw());
    else return;
    event.preventDefault();
  }

  async #next(step) {
    const { dynamic, selected } = this.part;
    if (!dynamic?.length) return;
    const at = selected === null ? (step > 0 ? 0 : dynamic.length - 1) : dynamic.indexOf(selected) + step;
    await this.part.select(dynamic[(at + dynamic.length) % dynamic.length]);
    this.part.app.announce(`body ${this.part.selected} chosen`);
    this.#redraw();
  }

  async #throw(way) {
    const { bounds, selected, player, section, app } = this.part;
    const speed = KEY_SPEED * (bounds[3] - bounds[1]);
    const velocity = DIRECTIONS[way].map((x) => x * speed);
    await player.do((simulation) => simulation.throw(selected, ...velocity));
    section.dataset.thrown = Number(section.dataset.thrown ?? 0) + 1;
    app.announce(`body ${selected} thrown ${way}`);
    this.#redraw();
  }
}
