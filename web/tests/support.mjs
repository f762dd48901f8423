// A server of web/dist on this machine, and headless Chromium to look at it.

import { createServer } from 'node:http';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

async function serve() {
  if (!existsSync(join(dist, 'index.html'))) throw new Error('web/dist is missing: run scripts/web');
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    try {
      const body = await readFile(join(dist, path.endsWith('/') ? `${path}index.html` : path));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? types['.html'] });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

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
 * `webgpu: false` is a browser without an adapter. `open(hash, size)` gives a page that is ready, of a size in CSS pixels.
 */
export async function inBrowser({ webgpu = true } = {}, look) {
  const { server, url } = await serve();
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
    return page;
  };
  try {
    await look({ open, url, context });
  } finally {
    await context.close();
    server.close();
    await rm(profile, { recursive: true, force: true });
  }
  if (errors.length > 0) throw new Error(`errors on the console:\n${errors.join('\n')}`);
}

/** Keeps a picture of a page where a person can look at it. */
export async function screenshot(page, name) {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}
