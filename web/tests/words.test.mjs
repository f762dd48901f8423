// Tests that technical words are explained where they are first used.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inBrowser, visit } from './support.mjs';

const parts = ['point', 'pair', 'sweep', 'simulation', 'benchmark'];

/** The terms that a part uses whose first use is not an explanation, a `dfn`. */
function unexplained(part) {
  const section = document.querySelector(`section[data-part="${part}"]`);
  const terms = { normal: /\bnormals?\b/i, projection: /\bprojections?\b/i, 'candidate pair': /\bcandidate pairs?\b/i, 'broad phase': /\bbroad phase\b/i };
  const found = [];
  for (const [term, pattern] of Object.entries(terms)) {
    const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!pattern.test(node.textContent)) continue;
      if (!node.parentElement.closest('dfn')) found.push(term);
      break;
    }
  }
  return found;
}

/** Each term that the shown step of the lesson uses, and whether its first use explains it: `[term, isExplained]`. Titles do not count. */
function firstUses() {
  const found = new Map();
  const card = document.querySelector('.lesson-card');
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest('h3')) continue;
    for (const [term, pattern] of Object.entries({ normal: /\bnormals?\b/i, projection: /\bprojections?\b/i })) {
      if (pattern.test(node.textContent) && !found.has(term)) found.set(term, node.parentElement.closest('dfn') !== null);
    }
  }
  return [...found];
}

test('each part explains normal, projection, candidate pair and broad phase where they first stand', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson');
    for (const part of parts) {
      await visit(page, `#${part}`);
      assert.deepEqual(await page.evaluate(unexplained, part), [], part);
    }
  });
});

test('the lesson explains normal and projection in the text of the step where they first stand', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson');
    const explained = new Set();
    const found = [];
    for (let step = 1; step <= 7; step += 1) {
      await page.evaluate((to) => (location.hash = to), `#lesson?step=${step}`);
      await page.waitForSelector(`section[data-stop="${step}"]`);
      for (const [term, isExplained] of await page.evaluate(firstUses)) {
        if (!isExplained && !explained.has(term)) found.push(`${term} in step ${step}`);
        explained.add(term);
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual([...explained].sort(), ['normal', 'projection']);
  });
});

test('a projection is a projection; a shadow explains it, once in the lesson and once elsewhere', async () => {
  await inBrowser({}, async ({ open }) => {
    const uses = [];
    for (const hash of ['#lesson', '#point', '#point?shape=star&point=0.5_0.25', '#pair', '#pair?a=square&pa=-1.25_0_0&b=square&pb=1.25_0.5_0', '#pair?a=square&pa=0_0_0&b=square&pb=1_0.5_0', '#sweep', '#simulation', '#benchmark']) {
      const page = await open(hash);
      const words = await page.evaluate(() => [document.head, document.body].map((root) => root.innerHTML).join(' ').match(/[^.]*shadow[^.]*/gi) ?? []);
      uses.push(...words);
      await page.close();
    }
    assert.ok(uses.every((use) => /parallel light/.test(use)), uses.join('\n'));
    assert.equal(new Set(uses).size, 2);
  });
});
