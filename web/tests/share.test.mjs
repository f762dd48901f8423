// Tests that every part gives a link to what it shows, and that the reader can place the body and the wall of a flight.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser, screenshot } from './support.mjs';

test('every part copies a link that brings back what it shows', async () => {
  await inBrowser({}, async ({ open, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const hash of [
      '#point?shape=arrow&point=0.5_-1.25', '#pair?a=star&pa=1.5_-0.25_30&b=square&pb=-2_0_345&touching=0',
      '#sweep?body=hexagon&flight=0.05_64_0.5&from=-6_1_90&wall=3_-0.5_15',
      '#simulation?scene=hail&bodies=100&seed=3&backend=cpu&speed=0.25', '#benchmark?scene=boxes&most=3000',
    ]) {
      const page = await open(hash);
      const section = page.locator('section:visible');
      await section.getByRole('button', { name: 'Copy link' }).click();
      await section.getByText('Copied.').waitFor();
      assert.equal(await page.textContent('#announcements'), 'Copied.');
      const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
      const sorted = (text) => text.split(/[?&]/).sort();
      assert.deepEqual(sorted(link.hash), sorted(hash));
      await page.close();
    }
  });
});

const sweep = (page) => page.locator('section[data-part="sweep"]');
const impactOf = async (page) => Number(await sweep(page).getAttribute('data-impact'));

test('the body and the wall of a flight are dragged, turned and moved by keys', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#sweep');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const box = await sweep(page).locator('canvas').boundingBox();
    const scale = Number(await sweep(page).locator('.view').getAttribute('data-scale'));
    const at = (x, y) => [box.x + box.width / 2 + x * scale, box.y + box.height / 2 - y * scale];
    const before = await impactOf(page);
    // Drags the wall by its area, 2 units towards the body.
    await page.mouse.move(...at(2, -2));
    await page.mouse.down();
    await page.mouse.move(...at(0, -2), { steps: 4 });
    await page.mouse.up();
    await drawn(page);
    const nearer = await impactOf(page);
    assert.ok(Math.abs(before - nearer - 2 / 40) < 1e-3, `${before} ${nearer}`);
    // Moves the body by keys.
    await sweep(page).getByRole('button', { name: /^The body/ }).press('Shift+ArrowRight');
    assert.ok(Math.abs(nearer - (await impactOf(page)) - 1 / 40) < 1e-3);
    // A dart that is turned sideways hits the wall later.
    const sharp = await impactOf(page);
    for (let k = 0; k < 6; k += 1) await sweep(page).getByRole('button', { name: /^The body/ }).press('q');
    await page.waitForFunction(() => location.hash.includes('from=-6.5_0.75_'));
    assert.ok((await impactOf(page)) > sharp + 1e-3);
    await page.waitForFunction(() => location.hash.includes('wall=0_0_0'));
    await screenshot(page, 'sweep-placed');
    // With the wall moved out of the way, the page says that there is no impact.
    await sweep(page).getByRole('button', { name: 'Reset' }).click();
    await drawn(page);
    assert.equal(await impactOf(page), before);
    for (let k = 0; k < 6; k += 1) await sweep(page).getByRole('button', { name: /^The wall/ }).press('Shift+ArrowUp');
    assert.equal(await sweep(page).getAttribute('data-impact'), 'none');
    assert.match(await sweep(page).locator('.verdict').nth(1).textContent(), /No impact.*stay apart/);
    const inside = await open('#sweep?wall=-7.5_0.75_0');
    assert.match(await sweep(inside).locator('.verdict').nth(1).textContent(), /starts within the wall/);
  });
});
