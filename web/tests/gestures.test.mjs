// Tests zooming and panning by fingers, by the mouse and by the wheel.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser, saved } from './support.mjs';

const PHONE = { width: 390, height: 844 };
const HASH = '#pair?a=square&pa=-2_0_0&b=square&pb=0.75_0_0';
const section = (page) => page.locator('section[data-part="pair"]');

/** Simulates fingers on a page: `drag` puts one finger at the start of each path, moves all to the ends and lifts them. */
async function fingers(context, page) {
  const session = await context.newCDPSession(page);
  const send = (type, places) => session.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) });
  return {
    async drag(paths, steps = 6) {
      const at = (t) => paths.map(([from, to]) => [0, 1].map((i) => from[i] + (to[i] - from[i]) * t));
      // Fingers touch the screen one after another.
      for (let n = 1; n <= paths.length; n += 1) await send('touchStart', at(0).slice(0, n));
      for (let k = 1; k <= steps; k += 1) await send('touchMove', at(k / steps));
      await send('touchEnd', []);
      await drawn(page);
    },
  };
}

const scaleOf = async (page) => Number(await section(page).locator('.view').getAttribute('data-scale'));

/** The position on the page of the middle of B's handle. */
async function handleOfB(page) {
  const { x, y, width, height } = await section(page).getByRole('button', { name: /^Polygon B/ }).boundingBox();
  return [x + width / 2, y + height / 2];
}

const placed = (page) => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('pa'));

test('two fingers zoom around what lies between them; then one finger pans, and not before', async () => {
  await inBrowser({}, async ({ open, context }) => {
    const page = await open(HASH, PHONE);
    const touch = await fingers(context, page);
    const box = await section(page).locator('canvas').boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const before = await scaleOf(page);
    const start = await handleOfB(page);
    // One finger on the empty ground moves nothing in the picture, because the picture is not zoomed.
    await touch.drag([[[x, y + 130], [x - 60, y + 130]]]);
    assert.deepEqual(await handleOfB(page), start);
    await touch.drag([[[x - 30, y + 90], [x - 60, y + 90]], [[x + 30, y + 90], [x + 60, y + 90]]]);
    const after = await scaleOf(page);
    assert.ok(Math.abs(after / before - 2) < 0.1, `${before} ${after}`);
    assert.equal(await placed(page), '-2_0_0');
    const zoomed = await handleOfB(page);
    await touch.drag([[[x, y + 130], [x - 60, y + 100]]]);
    const panned = await handleOfB(page);
    assert.ok(Math.abs(panned[0] - zoomed[0] + 60) < 8 && Math.abs(panned[1] - zoomed[1] + 30) < 8, `${zoomed} ${panned}`);
    assert.equal(await page.evaluate(() => scrollY), 0);
    await section(page).getByRole('button', { name: 'Show all' }).click();
    await drawn(page);
    assert.equal(await scaleOf(page), before);
  });
});

test('a pinch that begins on a polygon zooms, and leaves the polygon where it is', async () => {
  await inBrowser({}, async ({ open, context }) => {
    const page = await open(HASH, PHONE);
    const touch = await fingers(context, page);
    const box = await section(page).locator('canvas').boundingBox();
    const before = await scaleOf(page);
    const [x, y] = [box.x + box.width / 2 - 2.8 * before, box.y + box.height / 2 + 0.9 * before];
    await touch.drag([[[x, y], [x - 20, y]], [[x + 80, y], [x + 140, y]]]);
    assert.ok((await scaleOf(page)) > 1.5 * before);
    await saved(page);
    assert.equal(await placed(page), '-2_0_0');
    // After the pinch, one finger drags the polygon again.
    await section(page).getByRole('button', { name: 'Show all' }).click();
    await drawn(page);
    await touch.drag([[[x, y], [x + before, y]]]);
    await page.waitForFunction(() => location.hash.includes('pa=-1_0_0'));
  });
});

test('the mouse pans on the empty ground; the wheel zooms once the picture is zoomed, else it scrolls the page', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open(HASH, { width: 1000, height: 700 });
    const box = await section(page).locator('canvas').boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + 30];
    const before = await scaleOf(page);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, 50);
    await page.waitForFunction(() => scrollY > 0);
    assert.equal(await scaleOf(page), before);
    await page.evaluate(() => scrollTo(0, 0));
    await section(page).getByRole('button', { name: 'Zoom in' }).click();
    await drawn(page);
    const zoomed = await scaleOf(page);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -100);
    await page.waitForFunction((least) => Number(document.querySelector('section[data-part="pair"] .view').dataset.scale) > least, zoomed);
    assert.equal(await page.evaluate(() => scrollY), 0);
    const from = await handleOfB(page);
    await page.mouse.down();
    await page.mouse.move(x + 70, y + 20, { steps: 4 });
    await page.mouse.up();
    await drawn(page);
    const to = await handleOfB(page);
    assert.ok(Math.hypot(to[0] - from[0] - 70, to[1] - from[1] - 20) < 2, `${from} ${to}`);
    // The wheel zooms out to the whole picture, and from then on scrolls the page.
    for (let k = 0; k < 6; k += 1) await page.mouse.wheel(0, 100);
    await page.waitForFunction((scale) => Number(document.querySelector('section[data-part="pair"] .view').dataset.scale) === scale, before);
    await page.mouse.wheel(0, 50);
    await page.waitForFunction(() => scrollY > 0);
  });
});
