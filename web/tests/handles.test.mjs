// Tests that handles can be reached wherever polygons lie, and that edges have the numbers of the table.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeNumbers } from '../page/edges.js';
import { spread } from '../page/spread.js';
import { drawn, inBrowser, screenshot } from './support.mjs';

const part = (page, name = 'pair') => page.locator(`section[data-part="${name}"]`);

test('handles at one place lie apart, and the first stays', () => {
  const at = [100, 100];
  const kinds = ['body of-a', 'turn of-a', 'body of-b', 'turn of-b'];
  const placed = spread(kinds.map((kind) => ({ kind, at })));
  assert.deepEqual(placed[0], at);
  placed.forEach((p, i) => placed.slice(0, i).forEach((q) => assert.ok(Math.hypot(p[0] - q[0], p[1] - q[1]) >= 33.9, `${p} ${q}`)));
  // Corners of the first polygon stay where they are; a corner of another polygon moves aside.
  const corners = spread(['vertex of-a', 'vertex of-a', 'vertex of-b'].map((kind, i) => ({ kind, at: [100 + (i === 1 ? 5 : 0), 100] })));
  assert.deepEqual(corners.slice(0, 2), [[100, 100], [105, 100]]);
  assert.ok(corners[2].some((x, i) => Math.abs(x - corners[0][i]) > 10));
});

/** The labels of the handles that the mouse cannot grab at their middle. */
async function covered(page) {
  const found = [];
  const count = await part(page).locator('.handle:visible').count();
  assert.ok(count >= 4);
  for (let k = 0; k < count; k += 1) {
    const handle = part(page).locator('.handle:visible').nth(k);
    const { x, y, width, height } = await handle.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    if (!(await handle.evaluate((element) => document.activeElement === element && element.classList.contains('held')))) {
      found.push(await handle.getAttribute('aria-label'));
    }
    await page.mouse.up();
    await drawn(page);
  }
  return found;
}

test('every handle of concentric polygons is reached by the mouse', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const shapes of ['a=square&b=square', 'a=hexagon&b=star', 'a=needle&b=needle', 'a=triangle&b=square']) {
      const page = await open(`#pair?${shapes}&pa=0_0_0&pb=0_0_0`);
      assert.deepEqual(await covered(page), [], shapes);
      for (const toggle of await part(page).getByRole('switch', { name: /^Edit the corners/ }).all()) await toggle.click();
      await page.evaluate(() => scrollTo(0, 0));
      await drawn(page);
      assert.deepEqual(await covered(page), [], `${shapes}, with corners`);
      await screenshot(page, `handles-${shapes.replaceAll(/\W/g, '-')}`);
      await page.close();
    }
    // Places a polygon's handle under the buttons of the picture.
    const first = await open('#pair');
    const { width, height } = await part(first).locator('canvas').boundingBox();
    const scale = Number(await part(first).locator('.view').getAttribute('data-scale'));
    const [x, y] = [(width / 2 - 30) / scale, (height / 2 - 80) / scale];
    const page = await open(`#pair?a=square&pa=${x}_${y}_180&b=square&pb=-2_0_0`);
    assert.deepEqual(await covered(page), []);
  });
});

test('a handle that lies aside drags its polygon, without a jump', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair?a=square&b=square&pa=0_0_0&pb=0_0_0');
    const scale = Number(await part(page).locator('.view').getAttribute('data-scale'));
    const handle = part(page).getByRole('button', { name: /^Polygon B/ });
    const middle = async () => {
      const { x, y, width, height } = await handle.boundingBox();
      return [x + width / 2, y + height / 2];
    };
    const [x, y] = await middle();
    const frame = await part(page).locator('canvas').boundingBox();
    assert.ok(Math.hypot(x - frame.x - frame.width / 2, y - frame.y - frame.height / 2) > 30, 'it lies aside');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + scale, y, { steps: 5 });
    await drawn(page);
    const [draggedX, draggedY] = await middle();
    assert.ok(Math.hypot(draggedX - x - scale, draggedY - y) < 2, 'it stays under the pointer');
    await page.mouse.up();
    await page.waitForFunction(() => location.hash.includes('pb=1_0_0') && location.hash.includes('pa=0_0_0'));
  });
});

/** Records the words that canvases draw, with their positions. */
function recordWords() {
  globalThis.words = [];
  const { prototype } = CanvasRenderingContext2D;
  const original = prototype.fillText;
  prototype.fillText = function fillText(text, x, y) {
    globalThis.words.push([text, x, y, this.fillStyle]);
    return original.call(this, text, x, y);
  };
}

test('the numbers of edges that the table has are drawn at their edges', async () => {
  await inBrowser({}, async ({ open, context }) => {
    await context.addInitScript(recordWords);
    for (const hash of ['#pair?a=triangle&pa=-2.5_0_20&b=hexagon&pb=2_0_0', '#pair?a=star&pa=-1_0_10&b=corner&pb=1.5_0_0']) {
      const page = await open(hash);
      await page.evaluate(() => (globalThis.words = []));
      await part(page).getByRole('button', { name: /^Polygon A/ }).press('q');
      await drawn(page);
      const found = await page.evaluate(async (address) => {
        const wasm = await import('./wasm/sat2d_web.js');
        const { shapes } = await import('./shapes.js');
        const query = new URLSearchParams(address.split('?')[1]);
        const of = (key, turn) => {
          const [x, y, degrees] = query.get(`p${key}`).split('_').map(Number);
          return { ring: shapes[query.get(key)].ring, x, y, degrees: degrees + turn };
        };
        return { answer: wasm.explainPair(of('a', 15), of('b', 0), true), words: globalThis.words };
      }, hash);
      const { answer, words } = found;
      const frame = await part(page).locator('canvas').boundingBox();
      const scale = Number(await part(page).locator('.view').getAttribute('data-scale'));
      const screen = ([x, y]) => [frame.width / 2 + x * scale, frame.height / 2 - y * scale];
      let count = 0;
      for (const [k, key] of ['a', 'b'].entries()) {
        const ring = answer[key].pieces[answer.pieces[k]];
        for (const axis of answer.axes) {
          for (const edge of k === 0 ? axis.edgesA : axis.edgesB) {
            const [p, q] = [ring[edge], ring[(edge + 1) % ring.length]];
            // The axis must be perpendicular to the edge with this number.
            const across = Math.abs((q[0] - p[0]) * axis.normal[0] + (q[1] - p[1]) * axis.normal[1]);
            assert.ok(across < 1e-6, `${hash} ${key} ${edge}: ${across}`);
            const middle = screen([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]);
            const isNear = words.some(([text, x, y]) => text === String(edge + 1) && Math.hypot(x - middle[0], y - middle[1]) < 14);
            assert.ok(isNear, `${hash}: edge ${edge + 1} of ${key}`);
            count += 1;
          }
        }
      }
      assert.ok(count >= 6);
      const cells = await part(page).locator('tbody td:last-child').allTextContents();
      assert.ok(cells.some((cell) => /A\u00a01\b/.test(cell)), 'the table counts from 1 too');
      await screenshot(page, `edges-${hash.includes('star') ? 'concave' : 'convex'}`);
      await page.close();
    }
  });
});

test('the number of an edge without room inside lies outside', () => {
  const box = [-1000, -1000, 1000, 1000];
  // These corners are on the screen, where y points down: in the world they are counter-clockwise.
  const needle = [[0, 3], [100, 0], [0, -3]];
  for (const placed of placeNumbers(needle, box).slice(0, 2)) assert.ok(Math.abs(placed.at[1]) > 9, String(placed.at));
  const square = [[0, 100], [100, 100], [100, 0], [0, 0]];
  for (const { at: [x, y] } of placeNumbers(square, box)) assert.ok(x > 0 && x < 100 && y > 0 && y < 100);
});
