// Runs web/dist in headless Chromium.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';

const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));

// Arguments that headless Chromium needs for WebGPU on a machine without a GPU.
const software = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
  '--use-webgpu-adapter=swiftshader',
];

/**
 * Runs `look({ open, url, context, server })` in a new browser, and fails if a page that `open` opened wrote an error to its console.
 *
 * With `webgpu: false`, the browser has no WebGPU adapter. `open(hash, size)` resolves to a page that is ready and drawn; `size` is in CSS
 * pixels. `url` is the address of `server`, which serves web/dist. `context` is the browser context of Playwright.
 */
export async function inBrowser({ webgpu = true } = {}, look) {
  const { server, url } = await serve(0);
  const profile = await mkdtemp(join(tmpdir(), 'sat2d-web-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: [
      '--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', ...(webgpu ? software : []),
    ],
  });
  const errors = [];
  const open = async (hash = '', size = { width: 1200, height: 900 }) => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.setViewportSize(size);
    await page.goto(url + hash);
    await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
    await drawn(page);
    return page;
  };
  try {
    await look({ open, url, context, server });
  } finally {
    await context.close();
    server.close();
    await rm(profile, { recursive: true, force: true });
  }
  if (errors.length > 0) throw new Error(`errors on the console:\n${errors.join('\n')}`);
}

/** Waits until all changes are drawn. Before that, handles are still at their old positions. */
export function drawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Saves a screenshot of a page in web/screenshots, for people to look at. */
export async function screenshot(page, name) {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
