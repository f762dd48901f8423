// The part "Two polygons": shows every axis with both projections, and which axis decides.

import { drawAxes, drawBroken, drawOutline, drawRays, wordsOf } from '../axes.js';
import { View, drawArrow, drawGrid, drawText } from '../canvas.js';
import { button, element, number, toggle } from '../controls.js';
import { drawEdgeNumbers } from '../edges.js';
import { adviceOf, refused } from '../messages.js';
import { placeAxes } from '../placing.js';
import { Polygon, dragByArea } from '../polygon.js';
import { axisAndProjection } from '../terms.js';
import { AxisTable, Facts, Verdict, columns, legend, marks } from '../table.js';
import { caseLinks } from '../lesson/cases.js';

const words = {
  disjoint: { tone: 'apart', sign: '○', word: 'Disjoint' },
  touching: { tone: 'touch', sign: '◐', word: 'Touching' },
  overlapping: { tone: 'meets', sign: '●', word: 'Overlapping' },
};

function reason(answer) {
  const { relation, axes, deciding, distance, depth, pairCount } = answer;
  const axis = axes[deciding];
  if (pairCount > 1) return reasonOfPieces(answer);
  const separating = axes.filter((one) => one.separates).length;
  if (relation === 'disjoint') {
    const how = separating > 1 ? `${separating} of ${axes.length} axes separate them, axis ${deciding + 1} most widely` : `Axis ${deciding + 1} separates them`;
    return `${how}: a gap of ${number(-axis.overlap)}. Their distance is ${number(distance)}.`;
  }
  if (relation === 'touching') return `No axis has a gap, and on axis ${deciding + 1} the projections share one point: the polygons have common points, and no common interior.`;
  return `On all ${axes.length} axes the projections overlap; the least, ${number(depth)} on axis ${deciding + 1}, is the shortest way out.`;
}

/** The reason for the answer if a polygon is split: the relation of all pairs of pieces, and the axis that decides the shown pair. */
function reasonOfPieces({ relation, pairRelation, axes, deciding, distance, depth, pairCount, minimumTranslation, isLeast }) {
  const axis = `axis ${deciding + 1}`;
  const shown = {
    disjoint: `The pair shown is separated by ${axis}: a gap of ${number(-axes[deciding].overlap)}.`,
    touching: `The pair shown touches: on ${axis} its projections share one point.`,
    overlapping: `The projections of the pair shown overlap on all ${axes.length} axes, least by ${number(depth)} on ${axis}.`,
  }[pairRelation];
  if (relation === 'disjoint') return `All ${pairCount} pairs of convex pieces are disjoint. ${shown} The distance of A and B is ${number(distance)}.`;
  if (relation === 'touching') return `No pair of convex pieces overlaps, and one or more touch. ${shown}`;
  const way = minimumTranslation ? ` ${isLeast ? 'The shortest way out' : 'A way out'} of A from all of B is ${number(Math.hypot(...minimumTranslation))} long.` : '';
  return `One or more pairs of convex pieces overlap. ${shown}${way}`;
}

/** The move of A that ends the overlap, or null if the polygons do not overlap. */
const wayOut = ({ relation, minimumTranslation }) => (relation === 'overlapping' ? minimumTranslation : null);

const point = ([x, y]) => `(${number(x)}, ${number(y)})`;

class PairPart {
  constructor(section, app) {
    this.section = section;
    this.app = app;
    this.touchingCounts = true;
    this.answer = null;
    /** The index of the pair of pieces that the reader chose, or null for the deciding pair. */
    this.pair = null;
    this.marked = null;
    this.sides = new Map();
    this.#build();
    this.initial = new URLSearchParams(this.state());
    app.onTheme(() => this.view.redraw());
    this.#ask();
  }

  #build() {
    const { section } = this;
    const lead = element('p', { class: 'lead' },
      ...axisAndProjection(', like its shadow under parallel light'),
      ' Two convex polygons are apart if and only if their projections are apart on some axis. Drag A onto B.');
    const left = element('div', { class: 'stack' });
    const right = element('div', { class: 'stack' });
    section.append(element('div', { class: 'workbench' }, left, right));
    left.append(lead);
    this.view = new View(left, {
      label: 'Two polygons, with every axis and both projections on it',
      box: [[-5.5, -5.25], [5.5, 5.25]],
      draw: (context) => this.#draw(context),
      content: () => [...this.a.corners, ...this.b.corners],
    });
    const shared = { changed: () => this.#ask(), released: () => this.#announce() };
    this.a = new Polygon(this.view, { name: 'A', kind: 'a', shape: 'triangle', x: -1.5, y: -0.25, ...shared });
    this.b = new Polygon(this.view, { name: 'B', kind: 'b', shape: 'square', x: 1.75, y: 0, ...shared });
    dragByArea(this.view, [this.a, this.b].map((polygon) => ({ polygon, outline: () => polygon.corners })));
    for (const polygon of [this.a, this.b]) polygon.splitByDoubleClick();
    left.append(legend([
      [marks.apart, 'an axis that separates: a gap between the projections'],
      [marks.meets, 'an axis that does not'],
      [marks.projectionA, 'projection of A'],
      [marks.projectionB, 'projection of B'],
    ]));
    this.verdict = new Verdict(right);
    this.#buildPieces(right);
    this.#buildControls(right);
    this.facts = new Facts(left, 'Numbers');
    this.facts.list.classList.add('in-columns');
    const card = element('div', { class: 'card readout' });
    left.append(card);
    this.table = new AxisTable(card, {
      caption: 'Every axis; edges that are parallel share one',
      columns: [columns.projectionA, columns.projectionB, columns.normal, columns.edgesOfBoth],
      mark: (index) => {
        this.marked = index;
        this.view.redraw();
      },
    });
  }

  /** Makes the card for polygons that are split: it names the shown pair of pieces, and has buttons to show others. */
  #buildPieces(container) {
    this.pieces = element('p');
    const step = (by) => () => this.#choose((this.answer.pair + by + this.answer.pairCount) % this.answer.pairCount);
    this.pairs = element('div', { class: 'card columns pieces', role: 'group', 'aria-label': 'Pairs of convex pieces', hidden: true },
      this.pieces,
      element('div', { class: 'row' },
        button('Previous pair', step(-1)), button('Next pair', step(1)),
        button('Deciding pair', () => this.#choose(null), { title: 'The first pair with the strongest relation; of disjoint polygons the nearest pair' })));
    container.append(this.pairs);
  }

  #choose(pair) {
    this.pair = pair;
    this.#ask();
    this.app.announce(this.pieces.textContent);
  }

  #buildControls(container) {
    this.touching = toggle('Touching counts as a collision', this.touchingCounts, (on) => {
      this.touchingCounts = on;
      this.#ask();
    });
    this.collides = element('p', { class: 'answer' });
    this.noted = element('span', { class: 'note' });
    container.append(element('div', { class: 'card' },
      this.touching.row, this.collides,
      element('div', { class: 'row' },
        button('Snap to touching', () => this.#snap(), { title: 'Moves A the shortest way to where the library says that they touch, exactly' }),
        button('Copy link', () => this.#copy()), button('Reset', () => this.#reset()), this.noted)));
    container.append(element('div', { class: 'card' }, this.a.controls()), element('div', { class: 'card' }, this.b.controls()));
    const keys = element('p', { class: 'note' });
    keys.innerHTML = 'Positions snap to eighths of a unit, so that exact touching is met; with <kbd>Alt</kbd> they are free. '
      + 'Keys on a handle: arrows move (<kbd>Shift</kbd>: farther), <kbd>Q</kbd> <kbd>E</kbd> turn.';
    container.append(keys, caseLinks());
  }

  #ask() {
    this.app.saveState();
    try {
      this.answer = this.app.wasm.explainPair(this.a.question, this.b.question, this.touchingCounts, this.pair ?? undefined);
      if (this.answer.pair !== this.pair) this.pair = null;
      this.#tell();
    } catch (error) {
      this.answer = null;
      delete this.section.dataset.relation;
      this.pairs.hidden = true;
      this.table.clear();
      this.facts.fill([]);
      this.collides.textContent = '';
      this.verdict.say({ tone: 'none', sign: '!', word: 'No polygon', why: adviceOf(error, this.#refused()) });
    }
    this.view.redraw();
  }

  #tell() {
    const { answer } = this;
    const before = this.section.dataset.relation;
    this.section.dataset.relation = answer.relation;
    this.section.dataset.collides = String(answer.collides);
    this.verdict.say({ ...words[answer.relation], why: reason(answer) });
    this.collides.textContent = `Do they collide? ${answer.collides ? 'Yes' : 'No'}.`;
    const apart = answer.relation === 'disjoint';
    const several = answer.pairCount > 1;
    const way = wayOut(answer);
    this.#tellPieces(several);
    this.facts.fill([
      ...(apart ? [['Distance', number(answer.distance)]] : [[several ? 'Depth of the pair shown' : 'Depth', number(answer.depth)]]),
      ['Normal, from A to B', point(answer.normal)],
      ...(way ? [[answer.isLeast ? 'Shortest way out of A' : 'A way out of A', `${point(way)}, length ${number(Math.hypot(...way))}`]] : []),
      ...answer.contacts.map((contact, i) => [`Contact point ${i + 1}`, point(contact)]),
      ...(answer.closest ? [['Closest point of A', point(answer.closest[0])], ['Closest point of B', point(answer.closest[1])]] : []),
    ]);
    this.table.fill(answer);
    if (before && before !== answer.relation) this.#announce();
  }

  #tellPieces(several) {
    this.pairs.hidden = !several;
    if (!several) return;
    const { a, b, pair, pairCount, pieces, pairRelation } = this.answer;
    const split = ({ pieces: { length } }) => (length > 1 ? `is split into ${length} convex pieces` : 'is convex');
    this.pieces.textContent = `A ${split(a)}, B ${split(b)}. A and B are disjoint only if all ${pairCount} pairs of pieces are disjoint. `
      + `Shown: pair ${pair + 1} of ${pairCount}, piece ${pieces[0] + 1} of A and piece ${pieces[1] + 1} of B, ${pairRelation}.`;
  }

  /** The name of the polygon that the library refuses. */
  #refused() {
    return refused(this.app.wasm, ['a', 'b'].map((key) => ({ name: key.toUpperCase(), question: this[key].question })));
  }

  #announce() {
    if (this.answer) this.app.announce(`${words[this.answer.relation].word}. ${reason(this.answer)}`);
  }

  #snap() {
    try {
      const way = this.app.wasm.wayToTouch(this.a.question, this.b.question);
      if (way) {
        this.a.moveTo([this.a.x + way[0], this.a.y + way[1]]);
        this.view.keepInView(this.a.corners);
      } else this.#note('No place near by was found where they touch exactly.');
    } catch (error) {
      this.#note(adviceOf(error, this.#refused()));
    }
  }

  /** Sets everything back to what a first visit shows. */
  #reset() {
    this.restore(this.initial);
    this.view.fit();
    this.#announce();
  }

  /** Shows a message for four seconds. */
  #note(text) {
    this.noted.textContent = text;
    this.app.announce(text);
    setTimeout(() => (this.noted.textContent = ''), 4000);
  }

  async #copy() {
    const link = this.app.link();
    try {
      await navigator.clipboard.writeText(link);
      this.#note('Copied.');
    } catch {
      this.#note('The link is in the address bar.');
    }
  }

  #draw(context) {
    const { view, app, answer, a, b } = this;
    const colours = app.colours();
    drawGrid(context, view, colours);
    if (!answer) {
      drawBroken(context, view, a.corners, colours.a);
      drawBroken(context, view, b.corners, colours.b);
      return;
    }
    const placed = placeAxes(view, answer, [answer.a.ring, answer.b.ring], this.sides, wordsOf);
    const strong = [answer.deciding, ...(this.marked === null ? [] : [this.marked])];
    drawAxes(context, placed, colours, strong);
    const rings = [answer.a.pieces[answer.pieces[0]], answer.b.pieces[answer.pieces[1]]];
    for (const entry of placed.filter(({ index }) => index === (this.marked ?? answer.deciding))) {
      drawRays(context, view, entry, rings, colours);
    }
    drawOutline(context, view, answer.a, colours.a, { name: 'A', at: a.nameAt, colours, piece: answer.pieces[0] });
    drawOutline(context, view, answer.b, colours.b, { name: 'B', at: b.nameAt, colours, piece: answer.pieces[1] });
    const { edgesA, edgesB } = answer.axes[this.marked] ?? answer.axes[answer.deciding];
    drawEdgeNumbers(context, view, rings[0], edgesA, colours.a, colours, a.nameAt);
    drawEdgeNumbers(context, view, rings[1], edgesB, colours.b, colours, b.nameAt);
    this.#drawFigures(context, colours);
  }

  /** Draws what lies between the polygons: the distance, or the way out and the contact points. */
  #drawFigures(context, colours) {
    const { view, answer } = this;
    const screen = (p) => view.toScreen(p);
    if (answer.closest) {
      const [p, q] = answer.closest.map(screen);
      context.strokeStyle = context.fillStyle = colours.ink;
      context.lineWidth = 1.75;
      context.beginPath();
      context.moveTo(...p);
      context.lineTo(...q);
      context.stroke();
      for (const [x, y] of [p, q]) context.fillRect(x - 3.5, y - 3.5, 7, 7);
      if (Math.hypot(p[0] - q[0], p[1] - q[1]) > 46) {
        drawText(context, number(answer.distance), [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2 - 14], { colour: colours.ink, paper: colours.card });
      }
    }
    const way = wayOut(answer);
    if (way) {
      const from = [this.a.x, this.a.y];
      const to = from.map((x, i) => x + way[i]);
      const [p, q] = [screen(from), screen(to)];
      drawArrow(context, p, q, { colour: colours.ink, width: 3, head: 12 });
      context.save();
      context.setLineDash([4, 4]);
      context.strokeStyle = colours.ink;
      context.globalAlpha = 0.55;
      context.lineWidth = 1.25;
      context.stroke(view.outline(answer.a.ring.map((corner) => corner.map((x, i) => x + way[i]))));
      context.restore();
    }
    for (const contact of answer.contacts) {
      const [x, y] = screen(contact);
      const tip = [x + answer.normal[0] * 30, y - answer.normal[1] * 30];
      drawArrow(context, [x, y], tip, { colour: colours.ink, width: 1.75, head: 7 });
      context.beginPath();
      context.arc(x, y, 5, 0, 2 * Math.PI);
      context.fillStyle = colours.mark;
      context.fill();
      context.lineWidth = 1.75;
      context.strokeStyle = colours.ink;
      context.stroke();
    }
  }

  show() {
    this.view.redraw();
  }

  hide() {}

  state() {
    const [a, b] = [this.a.state, this.b.state];
    return { a: a.shape, pa: a.place, b: b.shape, pb: b.place, touching: this.touchingCounts ? '1' : '0', ...(this.pair === null ? {} : { pair: this.pair }) };
  }

  restore(params) {
    this.a.restore(params.get('a'), params.get('pa'));
    this.b.restore(params.get('b'), params.get('pb'));
    if (params.has('touching')) this.touchingCounts = params.get('touching') !== '0';
    this.touching.input.checked = this.touchingCounts;
    this.pair = /^\d{1,6}$/.test(params.get('pair') ?? '') ? Number(params.get('pair')) : null;
    this.#ask();
  }
}

export default {
  id: 'pair',
  title: 'Two polygons',
  mount: (section, app) => new PairPart(section, app),
};
