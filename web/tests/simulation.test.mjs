// Tests the simulation without WebGPU.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { inBrowser } from './support.mjs';
import { SCENES, opened, testWorlds } from './worlds.mjs';

testWorlds(false);

test('on a phone nothing is wider than the page, and fewer bodies are enough without WebGPU', async () => {
  await inBrowser({}, async ({ open }) => {
    const part = await opened(open, 'scene=pile', { size: { width: 390, height: 844 } });
    assert.equal((await part.data()).bodies, '1004');
    for (const scene of SCENES) {
      await part.section.getByLabel('Scene').selectOption(scene);
      await part.until('data.loading === undefined && location.hash.includes(value)', `scene=${scene}`);
      assert.ok(await part.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), scene);
      const { height } = await part.page.locator('.sim-view').boundingBox();
      assert.ok(height >= 200 && height < 600, `${scene} ${height}`);
    }
  });
});

test('a world is zoomed by buttons and the wheel, panned on the ground, and shown whole again', async () => {
  await inBrowser({}, async ({ open }) => {
    const part = await opened(open, 'scene=funnel&bodies=100');
    const { page } = part;
    const whole = await part.ink();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await part.until('Number(data.zoom) > 1');
    const { x, y, width, height } = await page.locator('.sim-paper').boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.wheel(0, -200);
    await part.until('Number(data.zoom) > 2');
    await part.stopped();
    assert.notEqual(await part.ink(), whole);
    const [zoomed, before] = [await part.ink(), await part.data()];
    // Presses below the throat of the funnel, where no body has fallen yet.
    await page.mouse.move(x + width / 2, y + height * 0.8);
    await page.mouse.down();
    // Panning begins once `pick` has answered that no body lies there.
    await part.until('data.held === "ground"');
    await page.mouse.move(x + width / 2 + 40, y + height * 0.8 + 30, { steps: 3 });
    await page.mouse.up();
    await part.stopped();
    assert.notEqual(await part.ink(), zoomed);
    const centre = ({ centre }) => centre.split(',').map(Number);
    const [from, to] = [centre(before), centre(await part.data())];
    // The world must have moved by the same way as the pointer.
    const ways = [(from[0] - to[0]) / 40, (to[1] - from[1]) / 30];
    assert.ok(ways.every((unit) => unit > 0) && Math.abs(ways[0] - ways[1]) < 1e-9, `${from} to ${to}`);
    await page.getByRole('button', { name: 'Show all' }).click();
    await part.until('data.zoom === "1"');
    await page.locator('.sim-paper').press('Escape');
    await part.stopped();
    assert.equal(await part.ink(), whole);
  });
});

test('time runs faster and slower', async () => {
  await inBrowser({}, async ({ open }) => {
    const steps = {};
    for (const speed of ['0.1', '4']) {
      const part = await opened(open, `scene=pile&bodies=100&speed=${speed}`);
      assert.equal(await part.section.getByLabel('Speed of time').inputValue(), speed);
      await part.press('Play');
      await part.page.waitForTimeout(1500);
      await part.press('Stop');
      steps[speed] = Number((await part.stopped()).step);
      await part.page.close();
    }
    assert.ok(steps['4'] > 5 * steps['0.1'] && steps['0.1'] > 0, JSON.stringify(steps));
  });
});
