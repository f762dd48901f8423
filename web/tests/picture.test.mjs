// Tests the picture: what can be dragged, how much is drawn, and what is in view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAxes } from '../page/placing.js';
import { drawn, inBrowser, saved } from './support.mjs';

const pair = (page) => page.locator('section[data-part="pair"]');

/** The places of A and B in the address, once the address is up to date. */
async function places(page) {
  await saved(page);
  const query = new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
  return { a: query.get('pa'), b: query.get('pb') };
}

/** Returns a function from a point of the world to its position on the page, while the picture is centred at (0, 0) as at first. */
async function positions(page) {
  const box = await pair(page).locator('canvas').boundingBox();
  const scale = Number(await pair(page).locator('.view').getAttribute('data-scale'));
  return (x, y) => [box.x + box.width / 2 + x * scale, box.y + box.height / 2 - y * scale];
}

test('where A and B overlap, dragging moves one of them: the one whose centre is nearer', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const [from, moved] of [[[0.125, -0.75], 'a'], [[1.25, -0.625], 'b']]) {
      const page = await open('#pair?a=square&pa=0_0_0&b=square&pb=1_0.5_0');
      const at = await positions(page);
      await page.mouse.move(...at(...from));
      await page.mouse.down();
      await page.mouse.move(...at(from[0] - 1, from[1] - 0.5), { steps: 4 });
      await page.mouse.up();
      const expected = { a: '0_0_0', b: '1_0.5_0', [moved]: moved === 'a' ? '-1_-0.5_0' : '0_0_0' };
      assert.deepEqual(await places(page), expected, `from ${from}`);
      await page.close();
    }
  });
});

/** A square with sides of twice `half`, as the address writes it. */
const square = (half) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map((corner) => corner.map((x) => x * half).join('_')).join('*');

/** A star with four tips at the distance `tip`, as the address writes it. It is split into convex pieces. */
const star = (tip) => Array.from({ length: 8 }, (_, i) => {
  const size = i % 2 ? tip / 5 : tip;
  return [0, 1].map((k) => Math.round(size * Math.cos((Math.PI * i) / 4 - (Math.PI * k) / 2))).join('_');
}).join('*');

/** Counts what canvases draw: the number of calls, the length of dashed lines in pixels, and the words with their positions. */
function countDrawing() {
  globalThis.counted = { calls: 0, dashes: 0, words: [] };
  const { counted } = globalThis;
  const lengths = new WeakMap();
  const pens = new WeakMap();
  const wrap = (prototype, name, seen) => {
    const original = prototype[name];
    prototype[name] = function wrapped(...given) {
      counted.calls += 1;
      seen?.call(this, ...given);
      return original.apply(this, given);
    };
  };
  const move = function move(x, y) {
    pens.set(this, [x, y]);
  };
  const line = function line(x, y) {
    const [fromX, fromY] = pens.get(this) ?? [x, y];
    lengths.set(this, (lengths.get(this) ?? 0) + Math.hypot(x - fromX, y - fromY));
    pens.set(this, [x, y]);
  };
  for (const { prototype } of [CanvasRenderingContext2D, Path2D]) {
    wrap(prototype, 'moveTo', move);
    wrap(prototype, 'lineTo', line);
  }
  const { prototype } = CanvasRenderingContext2D;
  wrap(prototype, 'beginPath', function begin() {
    lengths.set(this, 0);
  });
  wrap(prototype, 'stroke', function stroke(path = this) {
    if (this.getLineDash().length > 0) counted.dashes += lengths.get(path) ?? 0;
  });
  wrap(prototype, 'fillText', (text, x, y) => counted.words.push([text, x, y]));
  for (const name of ['arc', 'fill', 'rect', 'fillRect', 'roundRect']) wrap(prototype, name);
}

/** The counts for one redraw of a page. */
async function redrawn(page) {
  await page.evaluate(() => Object.assign(globalThis.counted, { calls: 0, dashes: 0, words: [] }));
  await pair(page).getByRole('button', { name: /^Polygon A/ }).press('ArrowRight');
  await drawn(page);
  return page.evaluate(() => globalThis.counted);
}

test('what a redraw draws is bounded by what is seen, at any size and zoom', async () => {
  await inBrowser({}, async ({ open, context }) => {
    await context.addInitScript(countDrawing);
    for (const shape of [square(50), star(100), square(500), star(1000), square(1e6)]) {
      const page = await open(`#pair?a=${shape}&pa=0.5_0_10&b=star&pb=1_0_0`);
      for (const zooms of [0, 12]) {
        for (let i = 0; i < zooms; i += 1) await pair(page).getByRole('button', { name: 'Zoom in' }).click();
        const { calls, dashes, words } = await redrawn(page);
        const name = `${shape}, zoomed ${zooms} times`;
        assert.ok(calls > 20 && calls < 3000, `${name}: ${calls} calls`);
        // The picture is about 800 pixels wide and has fewer than 20 dashed lines: 20,000 pixels are enough for what is seen of them.
        assert.ok(dashes < 20_000, `${name}: ${dashes} pixels of dashes`);
        assert.ok(words.length > 0 || zooms > 0, name);
      }
      await page.close();
    }
  });
});

test('zoomed in, the axis that decides is still in view, with its words', async () => {
  await inBrowser({}, async ({ open, context }) => {
    await context.addInitScript(countDrawing);
    const page = await open('#pair?a=square&pa=-0.5_0_20&b=hexagon&pb=0.5_0_0');
    for (let i = 0; i < 12; i += 1) await pair(page).getByRole('button', { name: 'Zoom in' }).click();
    const { words } = await redrawn(page);
    const { width, height } = await pair(page).locator('canvas').boundingBox();
    const inView = words.filter(([, x, y]) => x > 0 && y > 0 && x < width && y < height).map(([text]) => text);
    assert.ok(inView.some((text) => /^(gap|overlap) /.test(text)), inView.join(', '));
    assert.ok(inView.filter((text) => /^\d+$/.test(text)).length >= 2, inView.join(', '));
  });
});

test('axes end where the picture ends, however long they are', () => {
  const [width, height, scale] = [800, 500, 70];
  const view = { width, height, scale, handles: new Set(), toScreen: ([x, y]) => [width / 2 + x * scale, height / 2 - y * scale] };
  for (const half of [2, 50, 1000, 1e7]) {
    const ring = [[-half, -half], [half, -half], [half, half], [-half, half]];
    const axis = (normal) => ({ normal, edgesA: [1], edgesB: [], intervalA: [-1.5 * half, 1.5 * half], intervalB: [-1, 1], overlap: 1, separates: false });
    const normals = [[1, 0], [0, 1], [0.6, 0.8], [-0.8, 0.6]];
    const placed = placeAxes(view, { axes: normals.map(axis), origin: [0, 0], deciding: 0 }, [ring], new Map(), () => 'overlap 1.00');
    assert.equal(placed.length, normals.length);
    for (const { from, to, bars, badge } of placed) {
      const most = Math.hypot(width, height) + 100;
      assert.ok(to - from <= most && bars.flat().every((end) => end >= from && end <= to), `${half}: ${from} to ${to}`);
      assert.ok(badge[0] > 0 && badge[0] < width && badge[1] > 0 && badge[1] < height, `${half}: ${badge}`);
    }
  }
});

/** The labels of the corners of A and B that lie outside the picture. */
async function cornersOutside(page) {
  await drawn(page);
  const frame = await pair(page).locator('canvas').boundingBox();
  const corners = await pair(page).getByRole('button', { name: /^Corner \d+ of [AB]/ }).all();
  const outside = [];
  for (const corner of corners) {
    const box = await corner.boundingBox();
    const [x, y] = [box.x + box.width / 2 - frame.x, box.y + box.height / 2 - frame.y];
    if (x < 0 || y < 0 || x > frame.width || y > frame.height) outside.push(await corner.getAttribute('aria-label'));
  }
  assert.ok(corners.length >= 7);
  return outside;
}

test('"Show all" shows all: large shapes, after keys and after a snap; a snap keeps A in view; Reset begins again', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open(`#pair?a=triangle&pa=-20_0_0&b=${square(50)}&pb=0_0_0`);
    const part = pair(page);
    const press = (name) => part.getByRole('button', { name, exact: true }).click();
    for (const toggle of await part.getByRole('switch', { name: /^Edit the corners/ }).all()) await toggle.click();
    assert.notDeepEqual(await cornersOutside(page), []);
    await press('Show all');
    assert.deepEqual(await cornersOutside(page), []);
    await press('Zoom in');
    await press('Zoom in');
    await press('Snap to touching');
    assert.equal(await part.getAttribute('data-relation'), 'touching');
    assert.deepEqual((await cornersOutside(page)).filter((label) => /of A/.test(label)), []);
    await press('Show all');
    assert.deepEqual(await cornersOutside(page), []);
    await part.getByRole('button', { name: /^Polygon A/ }).focus();
    for (let i = 0; i < 150; i += 1) await page.keyboard.press('Shift+ArrowLeft');
    assert.notDeepEqual(await cornersOutside(page), []);
    await press('Show all');
    assert.deepEqual(await cornersOutside(page), []);
    await press('Reset');
    await drawn(page);
    assert.deepEqual(await places(page), { a: '-1.5_-0.25_0', b: '1.75_0_0' });
    assert.deepEqual(await cornersOutside(page), []);
    // The scale must be that of a first visit.
    const first = await open('#pair');
    const scale = (shown) => pair(shown).locator('.view').getAttribute('data-scale');
    assert.equal(await scale(page), await scale(first));
  });
});
