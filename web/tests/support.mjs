// Gives the tests of the page what they share: browsers that start once per file of tests.
//
// Starting Chromium takes longer than many a test, so the tests of a file share a browser without WebGPU and one with WebGPU. Each is started
// by the first test that needs it. Each test has its own context in that browser, with its own server of web/dist: its own storage, service
// worker, permissions and pages. So nothing that a test leaves behind reaches another test, and an error on a console belongs to one test.
// Only tests that call `inKeptContext` share a context.

import { after } from 'node:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openContext, refuse } from './browser.mjs';

export { drawn, saved, visit } from './browser.mjs';

const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Arguments that leave the software adapter to WebGPU: it draws the rest of a page, and 2D canvases, more slowly than the CPU does. */
const DRAWN_BY_CPU = ['--disable-gpu-rasterization', '--disable-accelerated-2d-canvas'];
/** The browsers that have been started: `browsers.get(true)` has WebGPU. */
const browsers = new Map();
/** The context of `inKeptContext`, or null. */
let kept = null;

/** The shared browser, which is started if there is none or if it has crashed. */
async function browser(webgpu) {
  if (!browsers.get(webgpu)?.isConnected()) browsers.set(webgpu, await launch({ webgpu, args: DRAWN_BY_CPU }));
  return browsers.get(webgpu);
}

after(async () => {
  for (const started of browsers.values()) await started.close();
  kept?.server.close();
});

/**
 * Runs `look({ open, url, context, server })` in a new context, and fails if a page that `open` opened wrote an error to its console: see
 * `openContext`. With `webgpu: true`, the browser has a WebGPU adapter, which is slower to draw pages. With `worker: true`, the page has its
 * service worker, and its footer says so.
 */
export async function inBrowser({ webgpu = false, worker = false } = {}, look) {
  const given = await openContext(await browser(webgpu), { reuse: true, worker });
  try {
    await look(given);
  } finally {
    await given.close();
  }
  refuse(given.errors);
}

/**
 * Like `inBrowser` with WebGPU, but the context and its pages are those of the last call, so that a page can keep its device: a software
 * adapter takes seconds to compile the shaders for a new device. After a test that fails, the next one gets a new context.
 */
export async function inKeptContext(look) {
  const given = (kept ??= await openContext(await browser(true), { worker: false }));
  try {
    await look(given);
    refuse(given.errors);
  } catch (error) {
    kept = null;
    await given.close();
    throw error;
  }
}

/** Saves a screenshot of a page in web/screenshots, for people to look at. */
export async function screenshot(page, name) {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
