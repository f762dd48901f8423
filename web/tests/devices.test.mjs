// Tests the simulation on a WebGPU device. This takes the longest of all files, so its name puts it among the first.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { inBrowser } from './support.mjs';
import { TIMEOUT, inWorld, opened, testWorlds } from './worlds.mjs';

testWorlds(true);

test('WebGPU and the CPU make the same of a pile', async () => {
  const heights = [];
  for (const backend of ['webgpu', 'cpu']) {
    await inWorld(backend, 'scene=pile&bodies=200&seed=3', async (part) => {
      for (let k = 0; k < 30; k += 1) await part.oneStep();
      const data = await part.stopped();
      assert.deepEqual([data.backend, data.step, data.bodies], [backend, '30', '204']);
      heights.push(Number(data.height));
    });
  }
  assert.ok(Math.abs(heights[0] - heights[1]) < 0.02, heights.join(' '));
});

test('a device that is lost is said, and the CPU goes on', async () => {
  await inWorld('webgpu', 'scene=pile&bodies=100', async (part) => {
    await part.oneStep();
    await part.page.evaluate(() => globalThis.device.destroy());
    await part.press('One step');
    await part.page.waitForFunction(() => document.querySelector('#part-simulation').dataset.failed, null, { timeout: TIMEOUT });
    assert.match(await part.page.locator('.sim-message').innerText(), /GPU stopped/);
    await part.press('Go on with the CPU');
    await part.until('data.backend === "cpu" && data.loading === undefined');
    await part.oneStep();
  });
});

test('an adapter that is a program is not the first choice, and the page says so', async () => {
  await inBrowser({ webgpu: true }, async ({ open }) => {
    const part = await opened(open, 'scene=pile&bodies=100');
    assert.equal((await part.data()).backend, 'cpu');
    assert.match(await part.section.innerText(), /is a program that plays a GPU/);
    await part.section.getByLabel('Steps on').selectOption('webgpu');
    await part.until('data.backend === "webgpu" && data.loading === undefined');
  });
});
