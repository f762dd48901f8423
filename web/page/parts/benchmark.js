// Part 5: the GPU against all threads of the CPU, in the reader's own browser.

import { SIZES, breakEven, contest } from '../benchmark/contest.js';
import { plot } from '../benchmark/plot.js';

const SCENES = {
  ngons: 'polygons of 3 to 8 vertices, 6 neighbours each',
  boxes: 'turned rectangles, 4 neighbours each',
  'big-ngons': 'polygons of 8 to 32 vertices, 6 neighbours each',
  crowd: 'long bodies in a dense crowd, 10 neighbours each',
};

const milliseconds = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
const whole = (value) => Math.round(value).toLocaleString('en');

/** What the rows say, in words. */
function verdict(rows, gpu) {
  if (!gpu.available) return `This browser offers no WebGPU (${gpu.reason}), so that there is nothing to compare with.`;
  const even = breakEven(rows);
  if (even === 0) return 'The GPU was faster at every size.';
  if (even === Infinity) return 'The CPU was faster at the largest size measured: here a GPU does not pay.';
  return `Break-even: the GPU is faster from about ${whole(Number(even.toPrecision(2)))} candidate pairs on.`;
}

function mount(section, app) {
  section.innerHTML = `
    <h2>GPU against CPU, here</h2>
    <p>How long this browser takes to say of all candidate pairs how they lie, from polygons in memory to answers in
      memory: on the GPU, and on all threads of the CPU, by turns on the same pairs. Both answers must be the same, pair
      by pair; of small scenes exact arithmetic decides every pair again.</p>
    <form class="controls">
      <label>Scene <select name="scene">${Object.entries(SCENES)
        .map(([name, text]) => `<option value="${name}">${name}: ${text}</option>`).join('')}</select></label>
      <label>Largest <select name="most">${SIZES.slice(2)
        .map((size) => `<option value="${size}">${whole(size)} polygons</option>`).join('')}</select></label>
      <button type="submit">Run</button>
      <button type="button" name="stop" disabled>Stop</button>
    </form>
    <p data-out="verdict" role="status">Not run yet: it takes some seconds, and the machine's whole attention.</p>
    <div data-out="plot"></div>
    <div class="scroll"><table data-out="table" hidden>
      <caption>Medians in milliseconds, and how many times as fast as the CPU the GPU is</caption>
      <thead><tr><th scope="col">polygons</th><th scope="col">pairs</th><th scope="col">meet</th>
        <th scope="col">CPU</th><th scope="col">GPU</th><th scope="col">GPU: pack</th><th scope="col">upload</th>
        <th scope="col">kernel</th><th scope="col">readback</th><th scope="col">exact</th><th scope="col">times</th>
        <th scope="col">checked</th></tr></thead><tbody></tbody></table></div>
    <p class="note" data-out="machine"></p>`;
  const out = Object.fromEntries([...section.querySelectorAll('[data-out]')].map((at) => [at.dataset.out, at]));
  const form = section.querySelector('form');
  const { scene, most, stop } = form.elements;
  most.value = '30000';
  const threads = Math.max(1, navigator.hardwareConcurrency ?? 1);
  const gpu = app.gpu.available ? `GPU: ${app.gpu.description}, through WebGPU.` : `No GPU: ${app.gpu.reason}.`;
  out.machine.textContent = `${gpu} CPU: ${threads} thread${threads === 1 ? '' : 's'} of WebAssembly with vectors of`
    + ' four numbers; the native library has wider vectors, so that its CPU is faster than the browser’s. A page’s clock'
    + ' is coarse: times below a tenth of a millisecond mean little.';

  let running = null;

  function show(rows) {
    section.dataset.rows = rows.length;
    const even = app.gpu.available ? breakEven(rows) : null;
    out.plot.replaceChildren(plot(rows, even));
    out.table.hidden = false;
    out.table.tBodies[0].replaceChildren(...rows.map((row) => {
      const line = document.createElement('tr');
      const stages = ['pack', 'upload', 'kernel', 'readback', 'exact'];
      const cells = [
        whole(row.polygons), whole(row.pairs), whole(row.touching + row.overlapping), milliseconds(row.cpu.median),
        row.gpu ? milliseconds(row.gpu.median) : '–',
        ...stages.map((stage) => (row.gpu ? milliseconds(row.gpu.stages[stage]) : '–')),
        row.gpu ? milliseconds(row.cpu.median / row.gpu.median) : '–',
        row.verified ? 'exactly' : row.gpu ? 'by each other' : 'no',
      ];
      line.append(...cells.map((text) => Object.assign(document.createElement('td'), { textContent: text })));
      return line;
    }));
  }

  async function run() {
    running?.abort();
    const control = new AbortController();
    running = control;
    const rows = [];
    section.dataset.running = 'true';
    stop.disabled = false;
    const say = (text) => {
      out.verdict.textContent = text;
    };
    try {
      const sizes = SIZES.filter((size) => size <= Number(most.value));
      say(`Running: ${whole(sizes[0])} polygons …`);
      const runs = contest({
        wasm: app.wasm, scene: scene.value, seed: 1, withGpu: app.gpu.available, signal: control.signal, sizes,
      });
      for await (const row of runs) {
        rows.push(row);
        show(rows);
        const next = sizes[rows.length];
        if (next) say(`Running: ${whole(next)} polygons …`);
      }
      const cut = rows.length < sizes.length ? ` Larger sizes were left out: the last took too long for a page.` : '';
      say(verdict(rows, app.gpu) + cut);
    } catch (error) {
      if (control.signal.aborted) say(rows.length > 0 ? `Stopped. ${verdict(rows, app.gpu)}` : 'Stopped.');
      else say(`Failed: ${error.message}`);
    } finally {
      if (running === control) {
        running = null;
        stop.disabled = true;
        section.dataset.running = 'false';
        app.announce(out.verdict.textContent);
      }
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run();
  });
  stop.addEventListener('click', () => running?.abort());
  form.addEventListener('change', () => app.saveState());

  return {
    show() {},
    hide() {
      running?.abort();
    },
    state: () => ({ scene: scene.value, most: most.value }),
    restore(params) {
      for (const control of [scene, most]) {
        const wanted = params.get(control.name);
        if ([...control.options].some((option) => option.value === wanted)) control.value = wanted;
      }
    },
  };
}

export default { id: 'benchmark', title: 'GPU against CPU', mount };
