// Adds bodies to the world that is shown: at a tap on the picture, or at the top.

import { button, choice, element, toggle } from '../controls.js';
import { KINDS } from './painter.js';

const POLYGONS = { 3: 'Triangle', 4: 'Quadrilateral', 5: 'Pentagon', 6: 'Hexagon', 7: 'Heptagon', 8: 'Octagon' };
/** Where a body is tried that comes from the top: parts of the height, from the top, and of the width, to either side of the middle. */
const ROWS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
const COLUMNS = [0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3];

/** Of each kind of shape that moves in a world, the first one: `[[index, name], ...]`. */
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
  /** `added(simulation)` is called for each body that was added. */
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

  /** Adds a body at the first place without a wall: as high as possible, then as near to the middle as possible. */
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
