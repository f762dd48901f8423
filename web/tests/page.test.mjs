import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inBrowser, screenshot } from './support.mjs';

for (const webgpu of [true, false]) {
  test(`the page loads ${webgpu ? 'with' : 'without'} WebGPU`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const page = await open();
      console.log(await page.getAttribute('html', 'data-gpu'));
      await screenshot(page, `page-${webgpu}`);
    });
  });
}
