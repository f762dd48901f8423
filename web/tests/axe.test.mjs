// Checks that axe-core finds no accessibility problem on any part of the page, in light, dark and forced colours.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { drawn, inBrowser, visit } from './support.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const SIZES = [{ width: 1280, height: 800 }, { width: 390, height: 844 }, { width: 844, height: 390 }];
/**
 * The addresses to check, by the pages that show them one after another, each with what `prepare` does there: switches to turn on, "Run" for
 * the benchmark, or nothing. The crossing polygon has a page of its own, where no switch is on.
 */
const PAGES = [
  { '#lesson': '', '#lesson?step=4&done=1_4': '', '#point': '', '#pair': 'Edit the corners', '#sweep': '', '#simulation?bodies=100': 'Contacts', '#benchmark?most=3000': 'Run' },
  { '#pair?a=0_0*2_2*2_0*0_2': '' },
];

/** Turns on the switches called `more`, or runs the benchmark, so that axe-core sees more of the part. */
async function prepare(page, more) {
  const section = page.locator('section:visible');
  if (more === 'Run') {
    await section.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForSelector('[data-part=benchmark][data-running=false]', { timeout: 120_000 });
  } else if (more) {
    for (const toggle of await section.getByRole('switch', { name: more }).all()) await toggle.click();
  }
  await drawn(page);
}

for (const [name, media] of [['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }], ['forced colours', { forcedColors: 'active' }]]) {
  test(`axe finds nothing, ${name}`, async () => {
    await inBrowser({ worker: true }, async ({ open }) => {
      for (const states of PAGES) {
        const page = await open(Object.keys(states)[0]);
        await page.addScriptTag({ path: axe });
        for (const [hash, more] of Object.entries(states)) {
          // Parts are first shown with motion, so that worlds are played.
          await page.emulateMedia({ ...media, reducedMotion: 'no-preference' });
          await page.setViewportSize({ width: 1200, height: 900 });
          if (hash !== Object.keys(states)[0]) await visit(page, hash);
          await page.emulateMedia({ ...media, reducedMotion: 'reduce' });
          await prepare(page, more);
          for (const size of SIZES) {
            await page.setViewportSize(size);
            await drawn(page);
            // Of the rules that pass, axe-core then describes one element instead of all.
            const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
            const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`);
            assert.deepEqual(found, [], `${hash} at ${size.width}`);
            assert.ok(passes.length > 20);
          }
        }
        await page.close();
      }
    });
  });
}
