// The table of axes beside the picture, with one row per axis, and the other texts about the library's answer.

import { signs, toneOf } from './axes.js';
import { element, number } from './controls.js';
import { edgeNumber } from './edges.js';

const vector = ([x, y]) => `(${number(x, 3)}, ${number(y, 3)})`;
const interval = ([from, to]) => (from === to ? number(from) : `[${number(from)}, ${number(to)}]`);
const edges = (list) => (list.length ? list.map(edgeNumber).join(', ') : '–');

/**
 * A table of axes. `columns`, `[heading, cell(axis)]` each, come after the columns that every such table has. `mark(index)` is called when
 * another axis is to be highlighted in the picture, or with null for none: the axis of the row under the mouse, else of the row with the
 * focus, else of the row that was tapped.
 */
export class AxisTable {
  #rows = [];
  #hovered = null;
  #focused = null;
  #tapped = null;
  #marked = null;

  constructor(container, { caption, columns, mark }) {
    this.columns = columns;
    this.mark = mark;
    const heads = ['Axis', 'Overlap', 'Separates?', ...columns.map(([heading]) => heading)];
    // The style sheet lays out a narrow table as blocks, which would lose the roles of a table, so the roles are set here.
    this.body = element('tbody', { role: 'rowgroup', onkeydown: (event) => this.#key(event) });
    const table = element('table', { class: 'numbers stacked', role: 'table' },
      element('caption', {}, caption),
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads.map((head) => element('th', { scope: 'col', role: 'columnheader', class: head === 'Separates?' ? 'words' : null }, head)))),
      this.body);
    container.append(element('div', { class: 'scroll-x', role: 'group', 'aria-label': caption }, table));
  }

  /** Shows an answer. Rows are kept and only their texts change, so that neither the focus nor the highlighted row is lost. */
  fill({ axes, deciding }) {
    while (this.#rows.length > axes.length) this.#rows.pop().row.remove();
    while (this.#rows.length < axes.length) {
      const made = this.#row(this.#rows.length);
      this.#rows.push(made);
      this.body.append(made.row);
    }
    axes.forEach((axis, index) => this.#show(this.#rows[index], axis, index === deciding));
    if (this.#tapped !== null && this.#tapped >= axes.length) this.#tapped = null;
    this.#refresh();
  }

  clear() {
    this.fill({ axes: [], deciding: -1 });
  }

  #row(index) {
    const name = `Axis ${index + 1}: mark it in the picture`;
    const button = element('button', { type: 'button', class: 'axis-button', 'aria-label': name, 'aria-pressed': 'false' }, String(index + 1));
    const tag = element('span', { class: 'tag' });
    const which = document.createTextNode('');
    const overlap = element('td', { role: 'cell', 'data-label': 'Overlap' });
    const cells = this.columns.map(([heading]) => element('td', { role: 'cell', 'data-label': heading }));
    const row = element('tr', { role: 'row', 'data-axis': index },
      element('td', { role: 'cell' }, button), overlap, element('td', { role: 'cell', class: 'words' }, tag, which), ...cells);
    const set = (change) => {
      change();
      this.#refresh();
    };
    // Only a mouse can hover: a finger leaves the screen between taps.
    row.addEventListener('pointerenter', ({ pointerType }) => pointerType === 'mouse' && set(() => (this.#hovered = index)));
    row.addEventListener('pointerleave', () => set(() => (this.#hovered = null)));
    row.addEventListener('focusin', () => set(() => (this.#focused = index)));
    row.addEventListener('focusout', () => set(() => (this.#focused = null)));
    row.addEventListener('click', () => set(() => (this.#tapped = this.#tapped === index ? null : index)));
    return { row, button, overlap, tag, which, cells };
  }

  #show({ row, overlap, tag, which, cells }, axis, isDeciding) {
    const tone = toneOf(axis);
    const says = tone === 'apart' ? 'separates' : tone === 'touch' ? 'projections touch' : 'does not';
    row.classList.toggle('deciding', isDeciding);
    row.dataset.tone = tone;
    tag.className = `tag ${tone === 'apart' ? 'apart' : 'meets'}`;
    const write = (node, text) => node.textContent !== text && (node.textContent = text);
    write(overlap, number(axis.overlap));
    write(tag, `${signs[tone]} ${says}`);
    write(which, !isDeciding ? '' : tone === 'apart' ? ', most widely' : ', least overlap');
    cells.forEach((cell, i) => write(cell, this.columns[i][1](axis)));
  }

  #refresh() {
    const marked = this.#hovered ?? this.#focused ?? this.#tapped;
    // The Tab key stops once in the table; arrow keys move between its rows.
    const stop = Math.min(this.#focused ?? this.#tapped ?? 0, this.#rows.length - 1);
    this.#rows.forEach(({ row, button }, index) => {
      row.classList.toggle('marked', index === marked);
      button.tabIndex = index === stop ? 0 : -1;
      button.setAttribute('aria-pressed', String(index === this.#tapped));
    });
    if (marked === this.#marked) return;
    this.#marked = marked;
    this.mark(marked);
  }

  #key(event) {
    const last = this.#rows.length - 1;
    const at = this.#focused ?? 0;
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#rows[Math.min(last, Math.max(0, to))].button.focus();
  }
}

export const columns = {
  normal: ['Normal', (axis) => vector(axis.normal)],
  edgesOfBoth: ['Edges', ({ edgesA, edgesB }) => [['A', edgesA], ['B', edgesB]]
    .filter(([, list]) => list.length > 0).map(([name, list]) => `${name}\u00a0${edges(list)}`).join('; ')],
  edges: ['Edges', (axis) => edges(axis.edgesA)],
  projectionA: ['Projection of A', (axis) => interval(axis.intervalA)],
  projectionB: ['Projection of B', (axis) => interval(axis.intervalB)],
  polygon: ['Projection of the polygon', (axis) => interval(axis.intervalA)],
  point: ['Projection of the point', (axis) => interval(axis.intervalB)],
};

/** The answer of the library in words: a sign, a word and a sentence. */
export class Verdict {
  constructor(container) {
    this.sign = element('span', { class: 'sign', 'aria-hidden': 'true' });
    this.word = element('span', { class: 'word' });
    this.why = element('span', { class: 'why' });
    this.element = element('div', { class: 'verdict' }, this.sign, this.word, this.why);
    container.append(this.element);
  }

  say({ tone, sign, word, why }) {
    this.element.dataset.tone = tone;
    this.sign.textContent = sign;
    this.word.textContent = word;
    this.why.textContent = why;
  }
}

/** A list of names and values: `fill([[name, value], ...])`. */
export class Facts {
  constructor(container, heading) {
    this.list = element('dl', { class: 'facts' });
    container.append(element('div', { class: 'card readout' }, element('h3', {}, heading), this.list));
  }

  fill(rows) {
    this.list.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  }
}

/** Makes the legend of a picture from `[[svg, words], ...]`: each mark as SVG, and what it means. */
export function legend(entries) {
  const item = ([drawing, words]) => {
    const made = element('li');
    made.innerHTML = `<svg viewBox="0 0 34 12" aria-hidden="true">${drawing}</svg>`;
    made.append(words);
    return made;
  };
  return element('ul', { class: 'legend' }, ...entries.map(item));
}

export const marks = {
  apart: '<path d="M1 6h24" stroke="var(--apart)" stroke-width="2.5"/><circle cx="28" cy="6" r="4.5" fill="var(--card)" stroke="var(--apart)" stroke-width="2"/>',
  meets: '<path d="M1 6h24" stroke="var(--meets)" stroke-width="2" stroke-dasharray="5 3"/><circle cx="28" cy="6" r="5" fill="var(--meets)"/>',
  projectionA: '<path d="M3 6h28" stroke="var(--a)" stroke-width="5" stroke-linecap="round"/>',
  projectionB: '<path d="M3 6h28" stroke="var(--b)" stroke-width="5" stroke-linecap="round"/>',
};
