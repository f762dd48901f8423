import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inBrowser, screenshot } from './support.mjs';

const parts = ['point', 'pair', 'sweep', 'simulation', 'benchmark'];

for (const webgpu of [true, false]) {
  test(`the page loads ${webgpu ? 'with' : 'without'} WebGPU, and says so`, async () => {
    await inBrowser({ webgpu, worker: true }, async ({ open }) => {
      const page = await open();
      const said = await page.textContent('#backend');
      assert.match(said, webgpu ? /^WebGPU: \S/ : /^CPU: this browser offers no WebGPU/);
      assert.equal((await page.getAttribute('html', 'data-gpu')) === 'none', !webgpu);
      // A first visit shows two polygons.
      assert.equal(await page.locator('section[data-part]:visible').getAttribute('data-part'), 'pair');
      await screenshot(page, webgpu ? 'page' : 'page-without-webgpu');
    });
  });
}

test('one part is shown at a time, by its link, and each has a name', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open();
    for (const part of parts) {
      const link = page.locator(`nav a[href="#${part}"]`);
      await link.click();
      await page.waitForSelector(`section[data-part="${part}"]:visible`);
      assert.equal(await page.locator('section[data-part]:visible').count(), 1);
      assert.equal(await link.getAttribute('aria-current'), 'page');
      const name = await page.locator(`section[data-part="${part}"] h2`).textContent();
      assert.ok(name.length > 3);
      assert.ok(await page.getByRole('region', { name, exact: true }).isVisible());
    }
    await page.goBack();
    await page.waitForSelector('section[data-part="simulation"]:visible');
  });
});

test('an address that comes while the page is about to write its own is the one that counts', async () => {
  await inBrowser({}, async ({ context, open }) => {
    // Replaces `setTimeout`, with which the page writes its address later. The test decides when that work runs.
    await context.addInitScript(() => {
      globalThis.later = [];
      globalThis.setTimeout = (work) => globalThis.later.push(work);
    });
    const page = await open();
    const written = await page.evaluate(() => {
      location.hash = '#sweep';
      const due = globalThis.later.splice(0);
      for (const work of due) work();
      return due.length;
    });
    assert.ok(written > 0);
    await page.waitForSelector('section[data-part="sweep"]:visible', { timeout: 10_000 });
  });
});

test('without its WebAssembly the page says in words that it cannot start', async () => {
  await inBrowser({}, async ({ context, url }) => {
    const page = await context.newPage();
    await page.route('**/*.wasm', (route) => route.abort());
    await page.goto(url);
    await page.waitForSelector('html[data-failed]');
    assert.match(await page.textContent('#status'), /cannot start/);
  });
});
