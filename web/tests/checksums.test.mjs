// Checks that worlds in WebAssembly have the same checksums as on every other machine. tests/sim/checksums.rs compares the same values.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { initSync, Simulation } from '../dist/wasm/sat2d_web.js';

const text = (path) => readFile(new URL(path, import.meta.url));
initSync({ module: await text('../dist/wasm/sat2d_web_bg.wasm') });
const [, ...rows] = (await text('../../tests/data/world-checksums.csv')).toString().trim().split('\n');
assert.equal(rows.length, 5);

for (const row of rows) {
  const [scene, count, seed, steps, checksum] = row.split(',');
  test(`${scene}: ${count} bodies after ${steps} steps`, async () => {
    const simulation = Simulation.onCpu(scene, Number(count), Number(seed));
    await simulation.frame(Number(steps), 'timed');
    assert.equal(simulation.checksum(), checksum);
  });
}
