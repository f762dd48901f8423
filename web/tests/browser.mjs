// Runs web/dist in headless Chromium.

import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';

const ALWAYS = [
  '--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
];
/** Arguments that headless Chromium needs for WebGPU on a machine without a GPU. */
const WEBGPU = [
  '--enable-unsafe-webgpu', '--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=swiftshader', '--use-webgpu-adapter=swiftshader',
];
/**
 * Starts a browser, with or without a WebGPU adapter. `args` are further arguments of Chromium. Without WebGPU, the browser draws pages
 * without a GPU process.
 */
export function launch({ webgpu, args = [] }) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: [...ALWAYS, ...(webgpu ? WEBGPU : ['--disable-gpu']), ...args],
  });
}

/**
 * Opens a context of a browser, and serves web/dist to it: `{ open, url, context, server, errors, close }`.
 *
 * `open(hash, size)` resolves to a page that is ready and drawn; `size` is in CSS pixels. `url` is the address of `server`, which serves
 * web/dist. `context` is the browser context of Playwright. `errors` are the errors that the pages of `open` wrote to their consoles.
 *
 * With `reuse`, closing a page of `open` leaves its tab for the next call of `open`, which loads the page again in it: that is quicker than
 * a new tab with a new process. Without `worker`, the page has no service worker, and the browser reuses the files of the page that it has:
 * a service worker loads all files twice, and then handles each request.
 */
export async function openContext(browser, { reuse = false, worker = true } = {}) {
  const { server, url } = await serve(0, worker ? {} : { 'cache-control': 'max-age=3600' });
  const context = await browser.newContext({ serviceWorkers: worker ? 'allow' : 'block' });
  const errors = [];
  /** Pages that tests have closed, to be used again. */
  const spare = [];
  let visits = 0;
  const newPage = async () => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    if (reuse) {
      page.close = async () => {
        await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
        await page.mouse.move(0, 0);
        spare.push(page);
      };
    }
    return page;
  };
  const open = async (hash = '', size = { width: 1200, height: 900 }) => {
    const page = spare.pop() ?? (await newPage());
    await page.setViewportSize(size);
    // Each address has another query, so that the browser loads the page again.
    await page.goto(`${url}${visits > 0 ? `?${visits}` : ''}${hash}`);
    visits += 1;
    await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
    await drawn(page);
    return page;
  };
  const close = async () => {
    await context.close();
    server.close();
  };
  return { open, url, context, server, errors, close };
}

/** Throws if there are errors, with all of them. */
export function refuse(errors) {
  if (errors.length > 0) throw new Error(`errors on the console:\n${errors.join('\n')}`);
}

/** Waits until all changes are drawn. Before that, handles are still at their old positions. */
export function drawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/**
 * Waits until the page has written its state to the address, which it does within 0.3 s. The wait is a timer of the page that is due after
 * the timer of that work, so a slow machine cannot change the order.
 */
export function saved(page) {
  return page.evaluate(() => new Promise((done) => setTimeout(done, 310)));
}

/** Shows a state of the page by its address, without loading the page again. Waits until the part is drawn. */
export async function visit(page, hash) {
  await page.evaluate((to) => new Promise((done) => {
    // The same address again causes no event.
    if (location.hash === to) {
      done();
      return;
    }
    addEventListener('hashchange', done, { once: true });
    location.hash = to;
  }), hash);
  await drawn(page);
}
