// Adds bodies to the world: where the reader taps the picture, or at the top.

import { button, choice, element, toggle } from '../controls.js';
import { KINDS } from './painter.js';

const POLYGONS = { 3: 'Triangle', 4: 'Quadrilateral', 5: 'Pentagon', 6: 'Hexagon', 7: 'Heptagon', 8: 'Octagon' };
/** Where a body from the top is tried: fractions of the world's height, from the top; and of its width, from the middle. */
const ROWS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
const COLUMNS = [0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3];

/** The first shape of each kind that moves in a world: `[[index, name], ...]`. */
function shapesOf(simulation) {
  const [outlines, rows] = [simulation.outlines(), simulation.figures()];
  const found = new Map();
  for (let k = 0; k < rows.length; k += 3) {
    const [shape, kind] = [rows[k + 1], KINDS[rows[k + 2]]];
    if (kind === 'static') continue;
    const { ring, radius } = outlines[shape];
    const name = radius > 0 ? 'Circle' : kind === 'capsule' ? 'Capsule' : (POLYGONS[ring.length / 2] ?? 'Polygon');
    if (!found.has(name)) found.set(name, shape);
  }
  return [...found].map(([name, shape]) => [String(shape), name]);
}

export class Adder {
  /** `added(simulation)` is called after each added body. */
  constructor(part, { added }) {
    Object.assign(this, { part, added });
    this.choice = choice('Shape', [], '', () => {});
    this.mode = toggle('Add at a tap', false, (on) => part.paper.classList.toggle('adds', on));
    this.said = element('span', { class: 'note said', role: 'status' });
    this.row = element('div', { class: 'row sim-add' }, this.choice.row, this.mode.row, button('Add at the top', () => this.fromTop()), this.said);
  }

  /** Whether a tap on the picture adds a body. */
  get isOn() {
    return this.mode.input.checked;
  }

  /** Offers the shapes of a world. */
  load(simulation) {
    this.choice.input.replaceChildren(...shapesOf(simulation).map(([value, name]) => element('option', { value }, name)));
    this.said.textContent = '';
  }

  /** Adds a body at a place of the world. */
  at(place) {
    return this.#add([place]);
  }

  /** Adds a body at the first place that is free of walls: as high as possible, then as near to the middle as possible. */
  fromTop() {
    const [left, bottom, right, top] = this.part.bounds ?? [0, 0, 0, 0];
    return this.#add(ROWS.flatMap((row) => COLUMNS.map((column) => [(left + right) / 2 + column * (right - left), top - row * (top - bottom)])));
  }

  #add(places) {
    const { part, choice } = this;
    return part.player.do(async (simulation) => {
      let slot;
      for (const [x, y] of places) {
        slot = await simulation.add(Number(choice.input.value), x, y);
        if (slot !== undefined) break;
      }
      if (slot !== undefined) await this.added(simulation);
      this.#say(slot === undefined ? 'There is a wall: no body was added.' : `Body ${slot} was added.`);
    });
  }

  #say(text) {
    this.said.textContent = text;
    this.part.app.announce(text);
  }
}
