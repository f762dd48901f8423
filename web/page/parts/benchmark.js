// The part "GPU against CPU": compares the GPU with all threads of the CPU, in the reader's own browser.

import { SIZES, WrongAnswer, breakEven, contest } from '../benchmark/contest.js';
import { plot } from '../benchmark/plot.js';
import { button, choice, element } from '../controls.js';
import { adviceOf } from '../messages.js';
import { copyLink } from '../share.js';
import { pairsOfScene } from '../terms.js';

const SCENES = [
  ['ngons', 'Polygons of 3 to 8 vertices, 6 neighbours each'],
  ['boxes', 'Turned rectangles, 4 neighbours each'],
  ['big-ngons', 'Polygons of 8 to 32 vertices, 6 neighbours each'],
  ['crowd', 'Long bodies in a dense crowd, 10 neighbours each'],
];
const STAGES = ['pack', 'upload', 'kernel', 'readback', 'exact'];
/** Headings of the table, with units. */
const COLUMNS = [
  'polygons', 'candidate pairs', 'that meet', 'CPU, ms', 'GPU, ms', 'CPU, pairs a second', 'GPU, pairs a second',
  ...STAGES.map((stage) => `GPU ${stage}, ms`), 'CPU / GPU', 'checked',
];
const NONE = '–';

const milliseconds = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
const whole = (value) => Math.round(value).toLocaleString('en');
/** Pairs per second, from a time in milliseconds, as in "12.3 million". */
const rate = (pairs, time) => `${((pairs / time) * 1e-3).toLocaleString('en', { maximumSignificantDigits: 3 })} million`;

/** What the rows show, in words. A software adapter is a program on the CPU, so its times say nothing about a GPU. */
export function verdict(rows, gpu) {
  if (!gpu.available) return `CPU alone: ${gpu.reason}, so that there is nothing to compare with.`;
  if (gpu.isSoftware) return `No GPU was measured: ${gpu.description} is a software adapter, which runs the shaders on the CPU. Its answers are those of the CPU backend.`;
  const even = breakEven(rows);
  if (even === 0) return 'The GPU was faster at every size.';
  if (even === Infinity) return 'The CPU was faster at the largest size: here a GPU does not pay.';
  return `Break-even: the GPU is faster from about ${whole(Number(even.toPrecision(2)))} candidate pairs on.`;
}

export function cells(row) {
  const { cpu, gpu, pairs } = row;
  const ofGpu = (text) => (gpu ? text() : NONE);
  return [
    whole(row.polygons), whole(pairs), whole(row.touching + row.overlapping), milliseconds(cpu.median),
    ofGpu(() => milliseconds(gpu.median)), rate(pairs, cpu.median), ofGpu(() => rate(pairs, gpu.median)),
    ...STAGES.map((stage) => ofGpu(() => milliseconds(gpu.stages[stage]))),
    ofGpu(() => milliseconds(cpu.median / gpu.median)),
    row.verified ? 'exactly' : gpu ? 'by each other' : 'no',
  ];
}

function machine(gpu) {
  const threads = Math.max(1, navigator.hardwareConcurrency ?? 1);
  const device = gpu.isSoftware ? `Software adapter: ${gpu.description}, through WebGPU.`
    : gpu.available ? `GPU: ${gpu.description}, through WebGPU.` : `No GPU: ${gpu.reason}.`;
  return `${device} CPU: ${threads} thread${threads === 1 ? '' : 's'} of WebAssembly with vectors of four numbers. The`
    + ' native library has wider vectors, so that its CPU is faster than a browser’s. A page’s clock is coarse: what is'
    + ' below a tenth of a millisecond means little. A software adapter (SwiftShader, llvmpipe) shows that answers'
    + ' are right, and says nothing of a GPU’s speed.';
}

/** Says why there are no times, and what to do. */
function failure(error) {
  return error instanceof WrongAnswer
    ? `The answers of two backends differ (${error.message}), so that there are no times. Please report it, with the name of the GPU.`
    : `The benchmark stopped. ${adviceOf(error)}`;
}

function mount(section, app) {
  const state = { scene: 'ngons', most: '30000' };
  const control = { running: null };
  const said = element('p', { class: 'lead' }, 'Not run yet. It takes some seconds, and the machine’s whole attention.');
  const body = element('tbody', { role: 'rowgroup' });
  const heads = COLUMNS.map((name) => element('th', { scope: 'col', role: 'columnheader' }, name));
  const table = element('table', { class: 'stacked', role: 'table' },
    element('caption', {}, 'Medians of a run, and how many times as long as the GPU the CPU takes'),
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)), body);
  const picture = element('div', { class: 'card', hidden: true });
  const results = element('div', { class: 'card wide', hidden: true, role: 'region', 'aria-label': 'Times' }, table);
  const change = (name) => (value) => {
    state[name] = value;
    app.saveState();
  };
  const scene = choice('Scene', SCENES, state.scene, change('scene'));
  const most = choice('Largest', SIZES.slice(2).map((size) => [String(size), `${whole(size)} polygons`]), state.most, change('most'));
  const stop = button('Stop', () => control.running?.abort());
  stop.disabled = true;

  function show(rows) {
    section.dataset.rows = rows.length;
    picture.hidden = results.hidden = false;
    picture.replaceChildren(plot(rows, app.gpu.available && !app.gpu.isSoftware ? breakEven(rows) : null, app.gpu.isSoftware ? 'software adapter' : 'GPU'));
    body.replaceChildren(...rows.map((row) =>
      element('tr', { role: 'row' }, ...cells(row).map((text, i) =>
        element('td', { role: 'cell', 'data-label': COLUMNS[i], class: text === NONE ? 'none' : null }, text)))));
  }

  function say(text) {
    said.textContent = text;
  }

  async function rowsOf(signal, rows) {
    const sizes = SIZES.filter((size) => size <= Number(state.most));
    const next = () => sizes[rows.length] && say(`Running: ${whole(sizes[rows.length])} polygons…`);
    next();
    const given = { wasm: app.wasm, scene: state.scene, seed: 1, withGpu: app.gpu.available, signal, sizes };
    for await (const row of contest(given)) {
      rows.push(row);
      show(rows);
      next();
    }
    const isCut = rows.length < sizes.length;
    say(verdict(rows, app.gpu) + (isCut ? ' Larger sizes were left out: the last took too long for a page.' : ''));
  }

  async function run() {
    control.running?.abort();
    const own = new AbortController();
    control.running = own;
    section.dataset.running = 'true';
    stop.disabled = false;
    const rows = [];
    try {
      await rowsOf(own.signal, rows);
    } catch (error) {
      if (!own.signal.aborted) say(failure(error));
      else if (control.running === own) say(rows.length > 0 ? `Stopped. ${verdict(rows, app.gpu)}` : 'Stopped.');
    }
    if (control.running !== own) return;
    control.running = null;
    stop.disabled = true;
    section.dataset.running = 'false';
    app.announce(said.textContent);
  }

  section.append(
    element('p', { class: 'lead' }, ...pairsOfScene(),
      ' The benchmark measures how long this browser takes to decide how all pairs lie, from polygons in memory to answers in memory: on the GPU, and'
      + ' on all threads of the CPU, by turns on the same pairs. Both must answer the same of every pair, and of small scenes exact arithmetic decides'
      + ' each pair again.'),
    element('div', { class: 'stack' },
      element('div', { class: 'card row' }, scene.row, most.row, button('Run', run, { kind: 'primary' }), stop, ...copyLink(app)),
      said, picture, results, element('p', { class: 'note' }, machine(app.gpu))));

  return {
    show() {},
    hide: () => control.running?.abort(),
    state: () => ({ ...state }),
    restore(params) {
      for (const [name, { input }] of [['scene', scene], ['most', most]]) {
        const wanted = params.get(name);
        if (![...input.options].some((option) => option.value === wanted)) continue;
        state[name] = input.value = wanted;
      }
    },
  };
}

export default { id: 'benchmark', title: 'GPU against CPU', mount };
