// The numbers of every axis beside the picture, a row an axis.

import { signs, toneOf } from './axes.js';
import { element, number } from './controls.js';

const vector = ([x, y]) => `(${number(x, 3)}, ${number(y, 3)})`;
const interval = ([from, to]) => (from === to ? number(from) : `[${number(from)}, ${number(to)}]`);
const edges = (list) => (list.length ? list.join(', ') : '–');

/**
 * A table; `columns` of `[heading, cell(axis)]` come after what every table of axes has. `mark(index)` is called where a row
 * is pointed at, with null where none is.
 */
export class AxisTable {
  constructor(container, { caption, columns, mark }) {
    this.columns = columns;
    this.mark = mark;
    const heads = ['Axis', 'Overlap', 'Separates?', ...columns.map(([heading]) => heading)];
    this.body = element('tbody');
    const table = element('table', { class: 'numbers' },
      element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col', class: head === 'Separates?' ? 'words' : null }, head)))),
      this.body);
    container.append(element('div', { class: 'scroll-x', tabindex: 0, role: 'group', 'aria-label': caption }, table));
  }

  fill({ axes, deciding }) {
    const rows = axes.map((axis, index) => this.#row(axis, index, index === deciding));
    this.body.replaceChildren(...rows);
  }

  #row(axis, index, isDeciding) {
    const tone = toneOf(axis);
    const says = tone === 'apart' ? 'separates' : tone === 'touch' ? 'shadows touch' : 'does not';
    const mark = element('td', { class: 'words' },
      element('span', { class: `tag ${tone === 'apart' ? 'apart' : 'meets'}` }, `${signs[tone]} ${says}`),
      isDeciding ? (tone === 'apart' ? ', most widely' : ', least overlap') : '');
    const cells = this.columns.map(([, cell]) => element('td', {}, cell(axis)));
    const row = element('tr', { class: isDeciding ? 'deciding' : null, 'data-axis': index, 'data-tone': tone },
      element('td', {}, String(index + 1)), element('td', {}, number(axis.overlap)), mark, ...cells);
    row.addEventListener('pointerenter', () => this.mark(index));
    row.addEventListener('pointerleave', () => this.mark(null));
    return row;
  }
}

export const columns = {
  normal: ['Normal', (axis) => vector(axis.normal)],
  edgesA: ['Edges of A', (axis) => edges(axis.edgesA)],
  edgesB: ['Edges of B', (axis) => edges(axis.edgesB)],
  edges: ['Edges', (axis) => edges(axis.edgesA)],
  shadowA: ['Shadow of A', (axis) => interval(axis.intervalA)],
  shadowB: ['Shadow of B', (axis) => interval(axis.intervalB)],
  polygon: ['Shadow of the polygon', (axis) => interval(axis.intervalA)],
  point: ['Shadow of the point', (axis) => interval(axis.intervalB)],
};

/** The answer in words: a sign, a word, a sentence. */
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

/** Names and values: `fill([[name, value], ...])`. */
export class Facts {
  constructor(container, heading) {
    this.list = element('dl', { class: 'facts' });
    container.append(element('div', { class: 'card' }, element('h3', {}, heading), this.list));
  }

  fill(rows) {
    this.list.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  }
}

/** What the marks of a picture mean: `[[svg, words], ...]`. */
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
  shadowA: '<path d="M3 6h28" stroke="var(--a)" stroke-width="5" stroke-linecap="round"/>',
  shadowB: '<path d="M3 6h28" stroke="var(--b)" stroke-width="5" stroke-linecap="round"/>',
};
