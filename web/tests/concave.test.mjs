// Tests the part "Two polygons" with polygons that are split into convex pieces: what it says about a pair of pieces and about the whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser, screenshot } from './support.mjs';

const STAR = '#pair?a=star&pa=1_-1_255&b=square&pb=0_0_0';

const section = (page) => page.locator('section[data-part="pair"]');

const textOf = (page, selector) => section(page).locator(selector).textContent();

/** The value of a number beside the picture. */
const fact = (page, name) => section(page).locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]').textContent();

/** The number and the overlap of the deciding axis in the table. */
const decidingRow = (page) => section(page).locator('tr.deciding').evaluate((row) => [row.querySelector('button').textContent, row.children[1].textContent]);

test('verdict, table and picture have the same depth, and the way out is that of the whole polygons', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open(STAR);
    const [axis, overlap] = await decidingRow(page);
    const why = await textOf(page, '.verdict .why');
    assert.ok(why.includes(`least by ${overlap} on axis ${axis}.`), why);
    assert.equal(await fact(page, 'Depth of the pair shown'), overlap);
    const length = why.match(/The shortest way out of A from all of B is ([\d.]+) long\./)[1];
    assert.ok((await fact(page, 'Shortest way out of A')).endsWith(`length ${length}`));
    const before = new URL(page.url()).hash.match(/pa=([^&]*)/)[1].split('_').map(Number);
    await screenshot(page, 'concave-star');
    await section(page).getByRole('button', { name: 'Snap to touching' }).click();
    await page.waitForSelector('section[data-part="pair"][data-relation="touching"]');
    await page.waitForFunction(() => !location.hash.includes('pa=1_-1_255'));
    const after = new URL(page.url()).hash.match(/pa=([^&]*)/)[1].split('_').map(Number);
    assert.ok(Math.abs(Math.hypot(after[0] - before[0], after[1] - before[1]) - Number(length)) < 1e-3);
    assert.match(await textOf(page, '.verdict .why'), /^No pair of convex pieces overlaps/);
  });
});

test('the reader steps from pair to pair, also by keys, and the link keeps the pair', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open(STAR);
    const pairs = section(page).getByRole('group', { name: 'Pairs of convex pieces' });
    const shown = async () => {
      await drawn(page);
      return (await pairs.locator('p').textContent()).match(/^A is split into (\d+) convex pieces, B is convex\. A and B are disjoint only if all (\d+) pairs of pieces are disjoint\. Shown: pair (\d+) of \d+, piece (\d+) of A and piece (\d+) of B, (\w+)\.$/);
    };
    const [, pieces, count, first] = (await shown()).map(Number);
    assert.equal(pieces, count);
    const relations = new Set();
    await pairs.getByRole('button', { name: 'Next pair' }).focus();
    for (let i = 1; i <= count; i += 1) {
      await page.keyboard.press('Enter');
      const found = await shown();
      assert.equal(Number(found[3]), ((first - 1 + i) % count) + 1);
      assert.equal(found[3], found[4]);
      relations.add(found[6]);
      const [axis, overlap] = await decidingRow(page);
      const why = await textOf(page, '.verdict .why');
      assert.ok(why.includes(`axis ${axis}`) && (found[6] === 'touching' || why.includes(overlap.replace('−', ''))), why);
      assert.equal(await section(page).getAttribute('data-relation'), 'overlapping');
    }
    assert.ok(relations.has('overlapping') && relations.has('disjoint'), [...relations].join());
    await pairs.getByRole('button', { name: 'Previous pair' }).click();
    const last = await shown();
    await page.waitForFunction((pair) => new URLSearchParams(location.hash.split('?')[1]).get('pair') === pair, String(last[3] - 1));
    const copy = await open(new URL(page.url()).hash);
    assert.equal(await section(copy).locator('.pieces p').textContent(), last[0]);
    await copy.close();
    await pairs.getByRole('button', { name: 'Deciding pair' }).click();
    assert.equal(Number((await shown())[3]), first);
    await page.waitForFunction(() => !location.hash.includes('pair='));
    // An index of a pair that does not exist shows the deciding pair. Convex polygons show no pairs.
    await page.goto(`${page.url()}&pair=99`);
    await drawn(page);
    assert.equal(Number((await shown())[3]), first);
    await page.goto(`${page.url().split('#')[0]}#pair?a=square&pa=0_0_0&b=hexagon&pb=1_0_0`);
    await pairs.waitFor({ state: 'hidden' });
    const why = await textOf(page, '.verdict .why');
    const [axis, overlap] = await decidingRow(page);
    assert.ok(why.includes(`the least, ${overlap} on axis ${axis}, is the shortest way out`), why);
  });
});

test('from random poses of concave shapes, the way out separates, and all figures are the same', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair');
    const found = await page.evaluate(async () => {
      const [wasm, { shapes }, { wordsOf }, { number }] = await Promise.all(
        ['./wasm/sat2d_web.js', './shapes.js', './axes.js', './controls.js'].map((name) => import(new URL(name, document.baseURI))));
      let seed = 7;
      const random = (from, to) => {
        seed = (seed * 48271) % 2147483647;
        return from + ((to - from) * seed) / 2147483647;
      };
      const wrong = [];
      let overlapping = 0;
      for (const a of ['corner', 'arrow', 'star']) {
        for (const b of Object.keys(shapes)) {
          for (let i = 0; i < 12; i += 1) {
            const pose = (name) => ({ ring: shapes[name].ring, x: random(-2, 2), y: random(-2, 2), degrees: random(0, 360) });
            const [p, q] = [pose(a), pose(b)];
            const answer = wasm.explainPair(p, q, true);
            const { relation, pairRelation, axes, deciding, depth, minimumTranslation: way, isLeast } = answer;
            const words = wordsOf(axes[deciding]);
            const expected = pairRelation === 'overlapping' ? `overlap ${number(depth)}` : words;
            const isWrong = () => {
              if (words !== expected || relation !== pairRelation) return true;
              if (relation !== 'overlapping') return Math.hypot(...way) !== 0;
              overlapping += 1;
              const moved = { ...p, x: p.x + way[0], y: p.y + way[1] };
              return !isLeast || Math.hypot(...way) < depth - 1e-9 || wasm.explainPair(moved, q, true).relation === 'overlapping';
            };
            if (isWrong()) wrong.push(JSON.stringify({ a, b, p, q, words, way, relation, pairRelation }));
          }
        }
      }
      return { wrong, overlapping };
    });
    assert.deepEqual(found.wrong, []);
    assert.ok(found.overlapping > 100);
  });
});
