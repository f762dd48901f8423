// Tests what the page says when something fails: advice for the reader, never a message of the library.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser } from './support.mjs';

const CROSSING = '0_0*2_2*2_0*0_2';
const FLAT = '0_0*1_1*2_2';
const FOR_PROGRAMMERS = /polygon \d|ring \d|segment|vertex|build|engine|driver|drop|repair|Vulkan|undefined/i;

test('what is no polygon is named, with what to do', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const [hash, expected] of [
      [`#pair?a=${CROSSING}`, /Edges of A cross.*Move its corners.*Reset/],
      [`#pair?b=${CROSSING}`, /Edges of B cross/],
      [`#pair?b=${FLAT}`, /B has no area/],
      ['#pair?a=1e99_0*2_2*2_0', /A is too large/],
      [`#point?shape=${CROSSING}`, /Edges of the polygon cross/],
      [`#point?shape=${FLAT}`, /The polygon has no area/],
    ]) {
      const page = await open(hash);
      const said = await page.locator('section:visible .verdict').first().textContent();
      assert.match(said, expected, hash);
      assert.doesNotMatch(said, FOR_PROGRAMMERS, hash);
      await page.close();
    }
  });
});

test('a snap of what is no polygon says the same', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open(`#pair?b=${CROSSING}`);
    await page.getByRole('button', { name: 'Snap to touching' }).click();
    await drawn(page);
    assert.match(await page.textContent('#announcements'), /Edges of B cross/);
  });
});

test('a GPU that gives no device is said with what to do, in the benchmark and in the simulation', async () => {
  await inBrowser({ webgpu: true }, async ({ context, open }) => {
    await context.addInitScript(() => {
      GPUAdapter.prototype.requestDevice = () => Promise.reject(new DOMException('no device', 'OperationError'));
    });
    const page = await open('#benchmark?most=3000');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForSelector('[data-part=benchmark][data-running=false]', { timeout: 60_000 });
    const said = await page.locator('[data-part=benchmark]').innerText();
    assert.match(said, /The benchmark stopped\. .*(GPU|CPU)/);
    const simulation = await open('#simulation?bodies=100&backend=webgpu');
    await simulation.waitForSelector('#part-simulation[data-failed]');
    const message = await simulation.locator('.sim-message').innerText();
    assert.match(message, /Use the CPU/);
    for (const text of [message, said.match(/The benchmark stopped.*/)[0]]) assert.doesNotMatch(text, FOR_PROGRAMMERS);
  });
});

test('while it loads the page says so, and gives advice only where it fails', async () => {
  await inBrowser({}, async ({ context, url }) => {
    const page = await context.newPage();
    let arrive;
    const held = new Promise((resolve) => (arrive = resolve));
    await page.route('**/*.wasm', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(url);
    await page.waitForSelector('#status');
    assert.equal(await page.textContent('#status'), 'Loading the library…');
    arrive();
    await page.waitForSelector('html[data-ready]');
    assert.equal(await page.locator('#status').count(), 0);
  });
});

test('a script that does not arrive is said', async () => {
  await inBrowser({}, async ({ context, url }) => {
    const page = await context.newPage();
    await page.route('**/canvas.js', (route) => route.abort());
    await page.goto(url);
    await page.waitForSelector('html[data-failed]');
    assert.match(await page.textContent('#status'), /cannot start\. A file of the page did not arrive/);
  });
});
