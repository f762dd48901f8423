// Tests that the page works without a network after one visit.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inBrowser } from './support.mjs';

const run = promisify(execFile);

test('after one visit the page opens without its server, and the benchmark starts its workers', async () => {
  await inBrowser({ worker: true }, async ({ open, server, context }) => {
    const page = await open('#pair');
    await page.waitForSelector('html[data-kept]', { timeout: 30_000 });
    assert.match(await page.textContent('footer'), /opens without a network/);
    server.close();
    server.closeAllConnections();
    await page.reload();
    await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
    assert.equal(await page.locator('section[data-part="pair"]').getAttribute('data-relation'), 'disjoint');
    // Opens the README in a new tab, whose console is not checked: for a text file the browser also asks for /favicon.ico, which fails.
    const [readme] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'README' }).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await readme.waitForURL(/readme\.txt$/);
    assert.equal(await readme.evaluate(() => document.contentType), 'text/plain');
    const source = await readFile(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
    assert.equal((await readme.textContent('body')).trim(), source.trim());
    await readme.close();
    await page.click('nav a[href="#benchmark"]');
    const section = page.locator('[data-part=benchmark]');
    await section.getByLabel('Largest').selectOption('3000');
    await section.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForSelector('[data-part=benchmark][data-running=false]', { timeout: 120_000 });
    assert.equal(await section.locator('tbody tr').count(), 3);
  });
});

test('the page says nothing of a network where the browser keeps no pages', async () => {
  await inBrowser({ worker: true }, async ({ open, context }) => {
    await context.addInitScript(() => delete Navigator.prototype.serviceWorker);
    const page = await open('#pair');
    assert.doesNotMatch(await page.textContent('footer'), /network|offline/);
    assert.equal(await page.getAttribute('html', 'data-kept'), null);
  });
});

test('the list of files has all of them, and its version follows their content', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sat2d-files-'));
  try {
    await mkdir(join(folder, 'parts'));
    const list = async () => {
      await run(process.execPath, [fileURLToPath(new URL('../offline.mjs', import.meta.url)), folder]);
      return JSON.parse((await readFile(join(folder, 'files.js'), 'utf8')).replace(/^self\.page = |;\s*$/g, ''));
    };
    for (const file of ['index.html', 'service-worker.js', 'parts/a.js']) await writeFile(join(folder, file), file);
    const first = await list();
    assert.deepEqual(first.files, ['./', 'index.html', 'parts/a.js']);
    assert.equal((await list()).version, first.version);
    await writeFile(join(folder, 'parts/a.js'), 'other');
    assert.notEqual((await list()).version, first.version);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
