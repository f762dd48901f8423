// Headless Chromium, to look at web/dist.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';

const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));

// What headless Chromium needs to draw with WebGPU on a machine without a GPU.
const software = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
  '--use-webgpu-adapter=swiftshader',
];

/**
 * Runs `look` in a browser of its own, and fails where the page wrote an error on its console.
 *
 * `webgpu: false` is a browser without an adapter. `open(hash, size)` gives a page that is ready and drawn, of a size in CSS
 * pixels. `server` is what serves it.
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

/** Waits until what has changed is drawn: before that, what is dragged lies where it was. */
export function drawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Keeps a picture of a page where a person can look at it. */
export async function screenshot(page, name) {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
