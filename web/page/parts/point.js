// The part "A point and a polygon": shows every axis with both projections. The projection of the point is a single number.

import { drawAxes, drawBroken, drawOutline, drawRays, wordsOf } from '../axes.js';
import { View, drawGrid, drawText } from '../canvas.js';
import { button, element, number } from '../controls.js';
import { drawEdgeNumbers } from '../edges.js';
import { Handle, snapped } from '../handles.js';
import { adviceOf } from '../messages.js';
import { placeAxes } from '../placing.js';
import { Polygon } from '../polygon.js';
import { copyLink } from '../share.js';
import { decodeNumbers, encodeNumbers } from '../shapes.js';
import { axisAndProjection } from '../terms.js';
import { AxisTable, Facts, Verdict, columns, legend, marks } from '../table.js';

const words = {
  outside: { tone: 'apart', sign: '○', word: 'Outside' },
  boundary: { tone: 'touch', sign: '◐', word: 'On the boundary' },
  inside: { tone: 'meets', sign: '●', word: 'Inside' },
};

function reason({ relation, axes, deciding, pieceRelation, outline }) {
  const axis = axes[deciding];
  const separating = axes.filter((one) => one.separates).length;
  if (relation === 'outside') {
    const more = separating > 1 ? `${separating} axes separate` : 'One axis separates';
    return `${more}: on axis ${deciding + 1} the point’s projection lies ${number(-axis.overlap)} beyond the polygon’s.`;
  }
  if (relation === 'boundary') return `No axis separates, and on axis ${deciding + 1} the point’s projection is the end of the polygon’s.`;
  if (pieceRelation === 'boundary') return `It lies on a seam between the ${outline.pieces.length} convex pieces, with the polygon all around it.`;
  return `On all ${axes.length} axes the point’s projection lies within the polygon’s.`;
}

class PointPart {
  constructor(section, app) {
    this.section = section;
    this.app = app;
    this.point = [2.75, 1.25];
    this.answer = null;
    this.marked = null;
    this.sides = new Map();
    this.#build();
    this.initial = new URLSearchParams(this.state());
    app.onTheme(() => this.view.redraw());
    this.#ask();
  }

  #build() {
    const { section } = this;
    const lead = element('p', { class: 'lead' }, ...axisAndProjection(),
      ' A point is in a convex polygon if and only if, on every axis, it is in the polygon’s projection. Drag the point, or use the arrow keys on it.');
    const left = element('div', { class: 'stack' });
    const right = element('div', { class: 'stack' });
    section.append(element('div', { class: 'workbench' }, left, right));
    left.append(lead);
    this.view = new View(left, {
      label: 'A point and a polygon, with every axis and the projections of both on it',
      box: [[-4.6, -3.9], [4.6, 3.9]],
      draw: (context) => this.#draw(context),
      content: () => [...this.polygon.corners, this.point],
    });
    const changed = () => this.#ask();
    const released = () => this.#announce();
    this.polygon = new Polygon(this.view, { name: 'polygon', kind: 'a', shape: 'irregular', moves: false, changed, released });
    this.polygon.splitByDoubleClick();
    this.handle = new Handle(this.view, {
      label: 'The point: arrow keys move it',
      kind: 'point of-b',
      at: () => this.point,
      move: (position, options) => {
        this.point = snapped(position, options);
        this.#ask();
      },
      released,
    });
    left.append(legend([
      [marks.apart, 'an axis that separates: the projections are apart'],
      [marks.meets, 'an axis that does not'],
      [marks.projectionA, 'projection of the polygon'],
      ['<circle cx="17" cy="6" r="4.5" fill="var(--b)"/>', 'projection of the point'],
    ]));
    this.verdict = new Verdict(right);
    const { polygon } = this;
    right.append(element('div', { class: 'card' }, polygon.controls(),
      element('div', { class: 'row' }, button('Put it on the boundary', () => this.#putOnBoundary()), button('Reset', () => this.#reset()), ...copyLink(this.app))));
    this.facts = new Facts(right, 'Numbers');
    right.append(element('p', { class: 'note' }, 'The point snaps to eighths of a unit; with Alt it moves freely.'));
    const card = element('div', { class: 'card readout' });
    left.append(card);
    this.table = new AxisTable(card, {
      caption: 'Every axis',
      columns: [columns.polygon, columns.point, columns.normal, columns.edges],
      mark: (index) => {
        this.marked = index;
        this.view.redraw();
      },
    });
  }

  #ask() {
    try {
      this.answer = this.app.wasm.explainPoint(this.polygon.question, ...this.point);
      this.#tell();
    } catch (error) {
      this.answer = null;
      delete this.section.dataset.relation;
      this.table.clear();
      this.facts.fill([]);
      this.verdict.say({ tone: 'none', sign: '!', word: 'No polygon', why: adviceOf(error) });
    }
    this.app.saveState();
    this.view.redraw();
  }

  #tell() {
    const { answer } = this;
    this.section.dataset.relation = answer.relation;
    this.verdict.say({ ...words[answer.relation], why: reason(answer) });
    const pieces = answer.outline.pieces.length;
    this.facts.fill([
      ['Point', `(${number(this.point[0])}, ${number(this.point[1])})`],
      ['Closest boundary', `(${number(answer.closest[0])}, ${number(answer.closest[1])})`],
      ['Distance', number(answer.distance)],
      ['Axes', String(answer.axes.length)],
      ...(pieces > 1 ? [['Convex pieces', `${pieces}, explained: ${answer.piece + 1}`]] : []),
    ]);
    this.table.fill(answer);
  }

  #announce() {
    if (this.answer) this.app.announce(`${words[this.answer.relation].word}. ${reason(this.answer)}`);
  }

  #putOnBoundary() {
    if (!this.answer?.onBoundary) return;
    this.point = [...this.answer.onBoundary];
    this.view.keepInView([this.point]);
    this.#ask();
    this.#announce();
  }

  /** Sets everything back to what a first visit shows. */
  #reset() {
    this.restore(this.initial);
    this.view.fit();
    this.#announce();
  }

  #draw(context) {
    const { view, app, answer, polygon, point } = this;
    const colours = app.colours();
    drawGrid(context, view, colours);
    if (!answer) {
      drawBroken(context, view, polygon.corners, colours.meets);
      return;
    }
    const ring = answer.outline.pieces[answer.piece];
    const placed = placeAxes(view, answer, [answer.outline.ring, [point]], this.sides, wordsOf);
    const strong = [answer.deciding, ...(this.marked === null ? [] : [this.marked])];
    drawAxes(context, placed, colours, strong);
    for (const entry of placed.filter(({ index }) => index === (this.marked ?? answer.deciding))) {
      drawRays(context, view, entry, [ring, [point]], colours);
    }
    drawOutline(context, view, answer.outline, colours.a, { colours, piece: answer.piece });
    drawEdgeNumbers(context, view, ring, (answer.axes[this.marked] ?? answer.axes[answer.deciding]).edgesA, colours.a, colours);
    this.#drawClosest(context, colours);
  }

  #drawClosest(context, colours) {
    const { view, answer, point } = this;
    const [p, q] = [view.toScreen(point), view.toScreen(answer.closest)];
    context.save();
    context.strokeStyle = context.fillStyle = colours.ink;
    context.lineWidth = 1.75;
    context.beginPath();
    context.moveTo(...p);
    context.lineTo(...q);
    context.stroke();
    context.beginPath();
    context.rect(q[0] - 4, q[1] - 4, 8, 8);
    context.fill();
    context.restore();
    if (Math.hypot(p[0] - q[0], p[1] - q[1]) > 46) {
      drawText(context, number(answer.distance, 2), [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2], { colour: colours.ink, paper: colours.card });
    }
  }

  show() {
    this.view.redraw();
  }

  hide() {}

  state() {
    const { shape } = this.polygon.state;
    return { shape, point: encodeNumbers(this.point) };
  }

  restore(params) {
    this.point = decodeNumbers(params.get('point'), 2) ?? this.point;
    this.polygon.restore(params.get('shape'), null);
    this.#ask();
  }
}

export default {
  id: 'point',
  title: 'A point and a polygon',
  mount: (section, app) => new PointPart(section, app),
};
