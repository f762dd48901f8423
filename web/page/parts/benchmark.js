// Part 5: the GPU against all threads of the CPU, in the reader's own browser.

import { SIZES, WrongAnswer, breakEven, contest } from '../benchmark/contest.js';
import { plot } from '../benchmark/plot.js';
import { button, choice, element } from '../controls.js';
import { adviceOf } from '../messages.js';
import { pairsOfScene } from '../terms.js';

const SCENES = [
  ['ngons', 'Polygons of 3 to 8 vertices, 6 neighbours each'],
  ['boxes', 'Turned rectangles, 4 neighbours each'],
  ['big-ngons', 'Polygons of 8 to 32 vertices, 6 neighbours each'],
  ['crowd', 'Long bodies in a dense crowd, 10 neighbours each'],
];
const STAGES = ['pack', 'upload', 'kernel', 'readback', 'exact'];
const COLUMNS = [
  ['polygons', ''], ['candidate pairs', ''], ['that meet', ''], ['CPU', 'ms'], ['GPU', 'ms'],
  ['GPU: pack', 'ms'], ['upload', 'ms'], ['kernel', 'ms'], ['readback', 'ms'], ['exact', 'ms'], ['CPU / GPU', ''], ['checked', ''],
];

const milliseconds = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
const whole = (value) => Math.round(value).toLocaleString('en');

/** What the rows say, in words. */
function verdict(rows, gpu) {
  if (!gpu.available) return `CPU alone: ${gpu.reason}, so that there is nothing to compare with.`;
  const even = breakEven(rows);
  if (even === 0) return 'The GPU was faster at every size.';
  if (even === Infinity) return 'The CPU was faster at the largest size: here a GPU does not pay.';
  return `Break-even: the GPU is faster from about ${whole(Number(even.toPrecision(2)))} candidate pairs on.`;
}

function cells(row) {
  const { cpu, gpu } = row;
  return [
    whole(row.polygons), whole(row.pairs), whole(row.touching + row.overlapping), milliseconds(cpu.median),
    gpu ? milliseconds(gpu.median) : '–',
    ...STAGES.map((stage) => (gpu ? milliseconds(gpu.stages[stage]) : '–')),
    gpu ? milliseconds(cpu.median / gpu.median) : '–',
    row.verified ? 'exactly' : gpu ? 'by each other' : 'no',
  ];
}

function machine(gpu) {
  const threads = Math.max(1, navigator.hardwareConcurrency ?? 1);
  const device = gpu.available ? `GPU: ${gpu.description}, through WebGPU.` : `No GPU: ${gpu.reason}.`;
  return `${device} CPU: ${threads} thread${threads === 1 ? '' : 's'} of WebAssembly with vectors of four numbers. The`
    + ' native library has wider vectors, so that its CPU is faster than a browser’s. A page’s clock is coarse: what is'
    + ' below a tenth of a millisecond means little. A GPU that is a program (SwiftShader, llvmpipe) shows that answers'
    + ' are right, and says nothing of a GPU’s speed.';
}

/** Why there are no times, and what to do. */
function failure(error) {
  return error instanceof WrongAnswer
    ? `The answers of two backends differ (${error.message}), so that there are no times. Please report it, with the name of the GPU.`
    : `The benchmark stopped. ${adviceOf(error)}`;
}

function mount(section, app) {
  const state = { scene: 'ngons', most: '30000' };
  const control = { running: null };
  const said = element('p', { class: 'lead' }, 'Not run yet. It takes some seconds, and the machine’s whole attention.');
  const body = element('tbody');
  const heads = COLUMNS.map(([name, unit]) => element('th', { scope: 'col' }, unit ? `${name}, ${unit}` : name));
  const table = element('table', {},
    element('caption', {}, 'Medians of a run, and how many times as long as the GPU the CPU takes'),
    element('thead', {}, element('tr', {}, ...heads)), body);
  const picture = element('div', { class: 'card', hidden: true });
  const results = element('div', { class: 'card wide', hidden: true, tabindex: '0', role: 'region', 'aria-label': 'Times' }, table);
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
    picture.replaceChildren(plot(rows, app.gpu.available ? breakEven(rows) : null));
    body.replaceChildren(...rows.map((row) =>
      element('tr', {}, ...cells(row).map((text) => element('td', {}, text)))));
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
      element('div', { class: 'card row' }, scene.row, most.row, button('Run', run, { kind: 'primary' }), stop),
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
