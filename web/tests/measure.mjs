// Measures the page in headless Chromium with a software adapter. Run `scripts/web` first, then `node web/tests/measure.mjs [SECONDS]`.
//
// Measures how soon the page is ready, how many pictures per second it shows of 2,000 bodies, as it starts on this machine and on each
// backend, and how memory grows over SECONDS (by default 120). Prints each figure with its limit. Exits with status 1 if a limit is missed.

import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { gzipSync } from 'node:zlib';
import { launch, openContext, refuse } from './browser.mjs';

const BODIES = 2000;
const seconds = Number(process.argv[2] ?? 120);
/** Seconds in which the pile falls before pictures are counted. */
const SETTLING = 10;
/** Seconds in which pictures are counted. */
const COUNTED = 10;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
let isMissed = false;
function bar(name, value, most, unit, holds = value <= most) {
  isMissed ||= !holds;
  console.log(`${holds ? 'pass' : 'MISS'}  ${name.padEnd(58)} ${value.toFixed(value < 100 ? 2 : 0)} ${unit}, bar ${most}`);
}
const fact = (name, text) => console.log(`      ${name.padEnd(58)} ${text}`);

const pause = (page, time) => page.waitForTimeout(1000 * time);
const step = (page) => page.evaluate(() => Number(document.querySelector('#part-simulation').dataset.step));

/** Runs `look` in a new browser with WebGPU, so that no measurement finds what an earlier one has left. */
async function inNewBrowser(look) {
  const browser = await launch({ webgpu: true });
  const given = await openContext(browser);
  try {
    await look(given);
  } finally {
    await given.close();
    await browser.close();
  }
  refuse(given.errors);
}

async function playing(open, query) {
  const page = await open(`#simulation?${query}`);
  await page.waitForFunction(() => Number(document.querySelector('#part-simulation')?.dataset.step) > 0, null, { timeout: 60_000 });
  return page;
}

async function rate(page) {
  await pause(page, SETTLING);
  const [from, start] = [await step(page), performance.now()];
  await pause(page, COUNTED);
  return (1000 * (await step(page) - from)) / (performance.now() - start);
}

async function memory(page, session) {
  await session.send('HeapProfiler.collectGarbage');
  const wasm = await page.evaluate(async () => {
    const exports = await (await import('./wasm/sat2d_web.js')).default();
    return exports.memory.buffer.byteLength;
  });
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { wasm, heap: usedSize };
}

console.log(`${cpus()[0].model}, ${cpus().length} cores; headless Chromium with its software adapter`);
const module = await readFile(new URL('../dist/wasm/sat2d_web_bg.wasm', import.meta.url));
bar('WebAssembly, compressed', gzipSync(module, { level: 9 }).length, 480_000, 'bytes');

await inNewBrowser(async ({ open }) => {
  const ready = [];
  for (let k = 0; k < 5; k += 1) {
    const page = await open();
    ready.push(await page.evaluate(() => Number(document.documentElement.dataset.ready)) / 1000);
    await page.close();
  }
  bar('page ready, the first time', ready[0], 3, 's');
  fact('median of 5', `${median(ready).toFixed(2)} s`);
});

const name = (backend) => (backend === 'webgpu' ? 'WebGPU' : 'the CPU');
await inNewBrowser(async ({ open }) => {
  const page = await playing(open, `scene=pile&bodies=${BODIES}`);
  const found = await rate(page);
  const backend = await page.evaluate(() => document.querySelector('#part-simulation').dataset.backend);
  bar(`${BODIES} bodies as the page starts, on ${name(backend)}, a second`, found, 20, 'pictures', found >= 20);
});

for (const backend of ['webgpu', 'cpu']) {
  await inNewBrowser(async ({ open, context }) => {
    const page = await playing(open, `scene=pile&bodies=${BODIES}&backend=${backend}`);
    const found = await rate(page);
    if (backend === 'webgpu') bar(`${BODIES} bodies on WebGPU, a second`, found, 20, 'pictures', found >= 20);
    const session = await context.newCDPSession(page);
    const before = await memory(page, session);
    await pause(page, seconds);
    const after = await memory(page, session);
    bar(`${name(backend)}: growth of WebAssembly's memory in ${seconds} s`, after.wasm - before.wasm, 0, 'bytes');
    // Up to 0.5 MB of growth is allowed, because the browser's own data, such as compiled code, comes and goes.
    bar(`${name(backend)}: growth of JavaScript's heap, in MB`, (after.heap - before.heap) / 1e6, 0.5, 'MB');
    fact('memory at the end', `${(after.wasm / 1e6).toFixed(2)} MB and ${(after.heap / 1e6).toFixed(2)} MB`);
  });
}
process.exitCode = isMissed ? 1 : 0;
