// Takes hold of bodies: by pointer, touch and keys.

import { drawArrow } from '../canvas.js';

/** A throw as long as the picture is wide takes half a second to get there. */
const SECONDS = 0.5;
/** In pixels: what is shorter chooses a body and throws nothing. */
const LEAST_THROW = 6;
/** How near the pointer must be to a body, in pixels. */
const NEAR = { mouse: 6, pen: 10, touch: 24 };
/** By keys, as a part of the height of the scene a second. */
const KEY_SPEED = 0.6;
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
    paper.addEventListener('pointercancel', () => this.#letGo());
    paper.addEventListener('keydown', (event) => this.#key(event));
  }

  get isThrowing() {
    return Boolean(this.from && this.to && this.part.selected !== null);
  }

  /** Draws the arrow of a throw. */
  draw(context, view, colours) {
    if (this.isThrowing) {
      drawArrow(context, this.from, this.to, { colour: colours.background, width: 7, head: 16 });
      drawArrow(context, this.from, this.to, { colour: colours.contact, width: 3, head: 13 });
    }
  }

  #at(event) {
    const { left, top } = this.part.paper.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  #down(event) {
    if (event.button !== 0 || !this.part.player.simulation) return;
    this.part.paper.setPointerCapture(event.pointerId);
    const { view, player } = this.part;
    this.from = this.#at(event);
    this.to = null;
    const [x, y] = view.toWorld(this.from);
    const within = (NEAR[event.pointerType] ?? NEAR.mouse) / view.scale;
    this.picking = player.do(async (simulation) => {
      const slot = (await simulation.pick(x, y, within)) ?? null;
      simulation.select(slot ?? undefined);
      this.#chosen(slot);
    });
    this.picking.then(() => this.#redraw());
  }

  #move(event) {
    if (!this.from) return;
    this.to = this.#at(event);
    this.#redraw();
  }

  async #up(event) {
    if (!this.from) return;
    const { view, player, app, section } = this.part;
    const to = this.#at(event);
    const way = [to[0] - this.from[0], this.from[1] - to[1]];
    this.#letGo();
    await this.picking;
    const slot = this.part.selected;
    if (slot !== null && Math.hypot(...way) >= LEAST_THROW) {
      const velocity = way.map((x) => x / view.scale / SECONDS);
      await player.do((simulation) => simulation.throw(slot, ...velocity));
      section.dataset.thrown = Number(section.dataset.thrown ?? 0) + 1;
      app.announce(`body ${slot} thrown`);
    }
    this.#redraw();
  }

  #letGo() {
    this.from = null;
    this.to = null;
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
