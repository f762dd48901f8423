// The numbers beside the picture.

import { element, number } from '../controls.js';

const STAGES = [
  ['broad', 'broad phase'],
  ['narrow', 'narrow phase'],
  ['prepare', 'prepare'],
  ['solve', 'solve'],
  ['finish', 'finish'],
];

const grouped = (value) => value.toLocaleString('en').replaceAll(',', '\u202f');

export class Numbers {
  constructor() {
    const fact = (label) => {
      const value = element('dd', {}, '–');
      return { value, row: [element('dt', {}, label), value] };
    };
    this.facts = {
      rate: fact('pictures a second'),
      step: fact('steps taken'),
      bodies: fact('bodies'),
      contacts: fact('contacts'),
      pairs: fact('candidate pairs'),
      height: fact('mean height'),
      chosen: fact('speed of the body chosen'),
    };
    this.stages = STAGES.map(([key, label], k) => {
      const bar = element('span', { class: `sim-bar stage-${k}` });
      const time = element('dd', {}, '–');
      return { key, bar, time, row: [element('dt', {}, element('span', { class: 'sim-track' }, bar), label), time] };
    });
    this.total = element('dd', {}, '–');
    this.clock = element('p', { class: 'note' });
    this.card = element('div', { class: 'card sim-numbers' },
      element('h3', {}, 'Numbers'),
      element('dl', { class: 'facts' }, ...Object.values(this.facts).flatMap(({ row }) => row)),
      element('h3', {}, 'A step, by stage'),
      element('dl', { class: 'facts' }, ...this.stages.flatMap(({ row }) => row), element('dt', {}, 'in all'), this.total),
      this.clock);
  }

  /** Shows the speed of the selected body, from its `[x, y, velocity x, velocity y]`, or "none" if it is null. */
  choose(slot, body) {
    this.facts.chosen.value.textContent = body ? number(Math.hypot(body[2], body[3]), 2) : 'none';
  }

  show(player) {
    const { report } = player;
    const set = (name, text) => (this.facts[name].value.textContent = text);
    set('rate', player.isRunning && player.rate > 0 ? number(player.rate, 0) : 'stopped');
    set('step', grouped(player.step));
    set('bodies', grouped(player.bodies));
    set('contacts', report ? grouped(report.contacts) : '–');
    set('pairs', report ? grouped(report.pairs) : '–');
    set('height', number(player.height, 2));
    const times = report?.times;
    if (!times) return;
    const total = STAGES.reduce((sum, [key]) => sum + times[key], 0);
    // A device without timestamps reports the time of a whole step under one stage.
    const isWhole = player.backend === 'webgpu' && times.broad + times.narrow + times.prepare + times.finish === 0;
    for (const { key, bar, time } of this.stages) {
      const isKnown = !isWhole && total > 0;
      bar.style.width = isKnown ? `${(100 * times[key]) / total}%` : '0';
      time.textContent = isKnown ? `${number(times[key], 2)} ms` : '–';
    }
    this.total.textContent = `${number(total, 2)} ms`;
    this.clock.textContent = isWhole
      ? 'This adapter has no clock for stages: the time is that of a whole step, with the way there and back.'
      : player.backend === 'webgpu' ? 'By the device’s clock, which browsers make coarse.' : 'By the browser’s clock, which is coarse.';
  }
}
