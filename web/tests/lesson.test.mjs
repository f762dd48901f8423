// Tests the lesson by the actions of a reader.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser, saved, screenshot, visit } from './support.mjs';

const PHONE = { width: 390, height: 844 };
const hashes = [...[1, 2, 3, 4, 5, 6, 7].map((step) => `#lesson?step=${step}`),
  ...['find', 'touch', 'predict'].map((name) => `#lesson?challenge=${name}`), '#lesson?case=needle'];

const part = (page) => page.locator('section[data-part="lesson"]');
const isDone = async (page) => (await part(page).getAttribute('data-done')) === 'true';
const button = (page, name) => part(page).getByRole('button', { name, exact: true });
const axis = (page) => part(page).getByRole('slider', { name: /axis/ });
const polygon = (page, name) => part(page).getByRole('button', { name: new RegExp(`^Polygon ${name}`) });
const verdict = (page) => part(page).locator('.verdict').textContent();

async function press(page, key, times = 1) {
  for (let i = 0; i < times; i += 1) await page.keyboard.press(key);
}

/** Drags a handle from its middle. `to(from)` returns the end from the start, both in CSS pixels. */
async function dragHandle(page, handle, to) {
  await drawn(page);
  const { x, y, width, height } = await handle.boundingBox();
  const from = [x + width / 2, y + height / 2];
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to(from), { steps: 8 });
  await page.mouse.up();
  await drawn(page);
}

const scaleOf = async (page) => Number(await part(page).locator('.view[data-scale]').getAttribute('data-scale'));

/** The position on the page of the axis's handle when the axis points in a direction. */
async function placeOfAxis(page, degrees) {
  const { x, y, width, height } = await part(page).locator('canvas').boundingBox();
  const [scale, angle] = [await scaleOf(page), (degrees * Math.PI) / 180];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x + width / 2 + (cos * 3.6 + sin * 3.5) * scale, y + height / 2 - (sin * 3.6 - cos * 3.5) * scale];
}

const turnTo = async (page, degrees) => {
  const to = await placeOfAxis(page, degrees);
  await dragHandle(page, axis(page), () => to);
};

const moveBy = async (page, name, way) => {
  const scale = await scaleOf(page);
  await dragHandle(page, polygon(page, name), ([x, y]) => [x + way[0] * scale, y - way[1] * scale]);
};

/** For each step, by keyboard and by mouse: actions that do not finish the task, then actions that do. */
const gestures = {
  1: {
    keys: [(page) => axis(page).focus().then(() => press(page, 'ArrowLeft', 3)), (page) => press(page, 'ArrowLeft', 7)],
    mouse: [(page) => turnTo(page, 60), (page) => turnTo(page, 120)],
  },
  2: {
    keys: [(page) => axis(page).focus().then(() => press(page, 'ArrowLeft', 4)), (page) => press(page, 'Shift+ArrowLeft', 2)],
    mouse: [(page) => turnTo(page, 120), (page) => turnTo(page, 30)],
  },
  3: {
    keys: [(page) => axis(page).focus().then(() => press(page, 'ArrowRight', 2)), (page) => press(page, 'ArrowRight')],
    mouse: [(page) => turnTo(page, 92), (page) => turnTo(page, 28)],
  },
  4: {
    keys: [(page) => button(page, 'Test the next axis').focus().then(() => press(page, 'Enter', 3)), (page) => press(page, 'Enter')],
    mouse: [(page) => button(page, 'Test the next axis').click({ clickCount: 3 }), (page) => button(page, 'Test the next axis').click()],
  },
  5: {
    keys: [(page) => polygon(page, 'A').focus().then(() => press(page, 'ArrowRight', 5)), (page) => press(page, 'ArrowRight')],
    // First moves past the place where the polygons touch, then back to it.
    mouse: [(page) => moveBy(page, 'A', [1.5, 0]), (page) => moveBy(page, 'A', [-0.75, 0])],
  },
  6: {
    keys: [(page) => polygon(page, 'A').focus().then(() => press(page, 'Shift+ArrowUp', 3)), (page) => button(page, 'Again').click()
      .then(() => polygon(page, 'A').focus()).then(() => press(page, 'ArrowLeft', 6))],
    mouse: [(page) => moveBy(page, 'A', [-2, 0]), (page) => moveBy(page, 'A', [1.25, 0])],
  },
  7: {
    keys: [(page) => polygon(page, 'B').focus().then(() => press(page, 'Shift+ArrowLeft', 2)).then(() => press(page, 'ArrowLeft', 2)),
      (page) => press(page, 'Shift+ArrowDown')],
    mouse: [(page) => moveBy(page, 'B', [-2.5, -2.5]), (page) => moveBy(page, 'B', [0.25, 1])],
  },
};

for (const way of ['keys', 'mouse']) {
  test(`each step is done by its gesture, and not before: ${way}`, async () => {
    await inBrowser({}, async ({ open }) => {
      for (const [step, { [way]: [tooLittle, enough] }] of Object.entries(gestures)) {
        const page = await open(`#lesson?step=${step}`);
        const next = button(page, 'Next');
        assert.equal(await isDone(page), false, `step ${step} at first`);
        await tooLittle(page);
        await drawn(page);
        assert.equal(await isDone(page), false, `step ${step} too early: ${await verdict(page)}`);
        assert.doesNotMatch(await next.getAttribute('class'), /primary/);
        await enough(page);
        await drawn(page);
        assert.equal(await isDone(page), true, `step ${step}: ${await verdict(page)}`);
        assert.match(await next.getAttribute('class'), /primary/);
        assert.match(await page.textContent('#announcements'), /^Done\. ./);
        assert.equal(await part(page).locator('.lesson-list [aria-current] .lesson-tick').textContent(), '✓');
        await page.waitForFunction((hash) => location.hash === hash, `#lesson?step=${step}&done=${step}`);
        await page.close();
      }
    });
  });
}

test('a finger turns the axis and moves a polygon', async () => {
  await inBrowser({}, async ({ open, context }) => {
    const page = await open('#lesson?step=2', PHONE);
    const session = await context.newCDPSession(page);
    const swipe = async (handle, to) => {
      await drawn(page);
      const { x, y, width, height } = await handle.boundingBox();
      const from = [x + width / 2, y + height / 2];
      const send = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
      await send('touchStart', [from]);
      for (const part of [0.25, 0.5, 0.75, 1]) await send('touchMove', [from.map((value, i) => value + (to[i] - value) * part)]);
      await send('touchEnd', []);
      await drawn(page);
      return from;
    };
    await swipe(axis(page), await placeOfAxis(page, 30));
    assert.equal(await isDone(page), true);
    await button(page, 'Next').tap().catch(() => button(page, 'Next').click());
    await page.waitForSelector('section[data-stop="3"]');
    await page.evaluate(() => (location.hash = 'lesson?step=5'));
    await page.waitForSelector('section[data-stop="5"]');
    await drawn(page);
    const box = await polygon(page, 'A').boundingBox();
    await swipe(polygon(page, 'A'), [box.x + box.width / 2 + 0.75 * await scaleOf(page), box.y + box.height / 2]);
    assert.equal(await isDone(page), true, await verdict(page));
  });
});

test('the code lights up line by line, and stops at the first gap', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson?step=4');
    const lit = () => part(page).locator('.lesson-code li').evaluateAll((lines) => [lines.flatMap((line, i) => (line.classList.contains('ran') ? [i + 1] : [])),
      lines.findIndex((line) => line.classList.contains('current')) + 1]);
    assert.equal(await part(page).locator('.lesson-code li').count(), 10);
    assert.deepEqual(await lit(), [[], 0]);
    for (let i = 0; i < 3; i += 1) {
      await button(page, 'Test the next axis').click();
      assert.deepEqual(await lit(), [[1, 2, 3, 4, 5, 6, 8], 8]);
      assert.match(await verdict(page), new RegExp(`Axis ${i + 1} of 6: no gap`));
    }
    await button(page, 'Test the next axis').click();
    assert.deepEqual(await lit(), [[1, 2, 3, 4, 5, 6, 7], 7]);
    assert.equal(await button(page, 'Test the next axis').isDisabled(), true);
    await button(page, 'Again').click();
    assert.deepEqual(await lit(), [[], 0]);
  });
});

test('a link restores a stop and its ticks; Next, Back and the history go through the stops', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const hash of [...hashes, '#lesson?step=3&done=1_2_find']) {
      const page = await open(hash);
      await saved(page);
      assert.equal(new URL(page.url()).hash, hash);
      await page.close();
    }
    const page = await open('#lesson?step=1&done=2_nonsense_cases');
    assert.deepEqual(await part(page).locator('.lesson-list a').evaluateAll((links) => links.filter((link) => /✓/.test(link.textContent)).map((link) => link.textContent)), ['✓2. A gap, done']);
    // A step can be skipped.
    await button(page, 'Next').click();
    await page.waitForSelector('section[data-stop="2"]');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'A gap');
    assert.equal(await isDone(page), true);
    await button(page, 'Next').click();
    await page.waitForSelector('section[data-stop="3"]');
    await button(page, 'Back').click();
    await page.waitForSelector('section[data-stop="2"]');
    await page.goBack();
    await page.waitForSelector('section[data-stop="3"]');
    await button(page, 'Clear the ticks').click();
    await page.waitForFunction(() => location.hash === '#lesson?step=3');
    // The address #lesson shows the first step. An address without a part shows the part "Two polygons".
    const fresh = await open('#lesson');
    await fresh.waitForFunction(() => location.hash === '#lesson?step=1');
    const home = await open();
    await home.waitForFunction(() => location.hash.startsWith('#pair?'));
  });
});

test('a separating axis is accepted, and another one is refused', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson?challenge=find');
    const check = button(page, 'This axis separates them');
    await check.click();
    assert.match(await verdict(page), /No gap.*overlap by/);
    assert.match(await page.textContent('#announcements'), /^Not yet/);
    assert.equal(await isDone(page), false);
    await axis(page).focus();
    await press(page, 'ArrowLeft', 13);
    assert.equal(await isDone(page), false, 'the button answers');
    assert.match(await verdict(page), /Your answer/);
    await check.click();
    assert.match(await verdict(page), /Gap.*apart/);
    assert.equal(await isDone(page), true);
  });
});

test('polygons that touch exactly are accepted, and a small gap or overlap is refused', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson?challenge=touch');
    const answer = async () => {
      await button(page, 'They touch now').click();
      return verdict(page);
    };
    assert.match(await answer(), /Disjoint/);
    await polygon(page, 'A').focus();
    await press(page, 'ArrowRight', 10);
    await press(page, 'ArrowUp', 2);
    await press(page, 'Alt+ArrowRight');
    assert.match(await answer(), /Overlapping/);
    await polygon(page, 'A').focus();
    await press(page, 'Alt+ArrowLeft', 2);
    assert.match(await answer(), /Disjoint/);
    assert.equal(await isDone(page), false);
    await polygon(page, 'A').focus();
    await press(page, 'Alt+ArrowRight');
    assert.match(await answer(), /Touching/);
    assert.equal(await isDone(page), true);
  });
});

test('predictions are counted by the answers of the library', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const [answers, score] of [[['Disjoint', 'Overlapping', 'Disjoint', 'Touching', 'Overlapping'], 5], [Array(5).fill('Touching'), 1]]) {
      const page = await open('#lesson?challenge=predict');
      for (const [i, answer] of answers.entries()) {
        assert.equal(await isDone(page), false);
        assert.doesNotMatch(await verdict(page), /gap|overlap|axis/i, 'nothing is told before');
        await button(page, answer).focus();
        await page.keyboard.press('Enter');
        assert.match(await verdict(page), score === 5 || i === 3 ? /Right: / : /Wrong: /);
        if (i < 4) await page.keyboard.press('Enter');
      }
      assert.equal(await isDone(page), true);
      assert.match(await part(page).textContent(), new RegExp(`You have ${score} of 5 right`));
      await page.close();
    }
  });
});

test('classic cases are shown in the lesson, and linked from and to the pair', async () => {
  const found = [['inside', 'One inside the other', 'overlapping'], ['needle', 'Needle', 'disjoint'], ['parallel', 'Parallel edges', 'touching'],
    ['corner', 'Corner to corner', 'touching']];
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson?case=inside');
    const pair = page.locator('section[data-part="pair"]');
    for (const [id, name, relation] of found) {
      await button(page, name).click();
      assert.match(await verdict(page), new RegExp(relation, 'i'));
      // The address changes a moment later.
      await page.waitForFunction((id) => location.hash.includes(`case=${id}`), id);
      await part(page).getByRole('link', { name: 'Open in' }).click();
      await page.waitForSelector('section[data-part="pair"]:visible');
      await drawn(page);
      assert.equal(await pair.getAttribute('data-relation'), relation);
      await page.goBack();
      await page.waitForSelector('section[data-part="lesson"]:visible');
      assert.equal(await button(page, name).getAttribute('aria-pressed'), 'true');
    }
    const other = await open('#pair');
    for (const [, name, relation] of found) {
      await other.locator('.case-links').getByRole('link', { name }).click();
      await other.waitForSelector(`section[data-part="pair"][data-relation="${relation}"]`);
    }
    await other.locator('.case-links').getByRole('link', { name: 'The lesson' }).click();
    await other.waitForSelector('section[data-part="lesson"]:visible');
  });
});

test('on a phone the picture comes first, and the task is in view', async () => {
  await inBrowser({}, async ({ open }) => {
    const phone = await open('#pair', PHONE);
    for (const hash of hashes) {
      await visit(phone, hash);
      const box = (selector) => part(phone).locator(selector).boundingBox();
      const [view, ways] = [await box('.view'), await box('.lesson-ways')];
      assert.ok(view.y < 160 && ways.y + ways.height <= PHONE.height, `${hash}: ${view.y}, ${ways.y}`);
      if (!hash.includes('case')) {
        const task = await box('.lesson-task');
        assert.ok(task.y >= view.y + view.height && task.y + task.height <= ways.y, `${hash}: the task ends at ${task.y + task.height}`);
      }
      await screenshot(phone, `lesson-phone-${hash.split('=')[1]}`);
    }
    await phone.close();
    // The task and its result must end above the buttons, before the task is finished and afterwards.
    for (const isFinished of [false, true]) {
      const page = await open('#pair', PHONE);
      for (let step = 1; step <= 7; step += 1) {
        const done = isFinished ? `&done=${step}` : '';
        await visit(page, `#lesson?step=${step}${done}`);
        if (step === 4) for (let i = 0; i < (done ? 4 : 3); i += 1) await button(page, 'Test the next axis').click();
        await page.evaluate(() => scrollTo(0, 0));
        await drawn(page);
        const { y: end } = await part(page).locator('.lesson-ways').boundingBox();
        for (const selector of ['.lesson-task', '.verdict', '.lesson-below']) {
          const box = await part(page).locator(selector).boundingBox();
          assert.ok(!box || box.y + box.height <= end, `step ${step}${done}: ${selector} ends at ${box?.y + box?.height}, the buttons begin at ${end}`);
        }
      }
      await page.close();
    }
    const narrow = await open('#lesson?step=4', { width: 320, height: 640 });
    for (const hash of hashes) {
      await narrow.evaluate((to) => (location.hash = to), hash);
      await drawn(narrow);
      assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), hash);
      const small = await narrow.evaluate(() => [...document.querySelectorAll('section:not([hidden]) :is(button, .lesson-list a)')]
        .filter((control) => control.offsetParent && control.offsetHeight < 44).map((control) => control.outerHTML));
      assert.deepEqual(small, []);
    }
  });
});

test('the words are those of the field, and explained', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson?step=1');
    const shadows = [];
    const terms = new Map();
    for (const hash of hashes) {
      await page.evaluate((to) => (location.hash = to), hash);
      await drawn(page);
      const text = await part(page).locator('.lesson-card').textContent();
      shadows.push(...text.match(/[^.]*shadow[^.]*/gi) ?? []);
      for (const dfn of await part(page).locator('dfn').allTextContents()) terms.set(dfn, (terms.get(dfn) ?? 0) + 1);
    }
    assert.equal(shadows.length, 1);
    assert.match(shadows[0], /parallel light/);
    assert.deepEqual([...terms], ['axis', 'projection', 'normal', 'minimum translation vector', 'concave', 'convex'].map((word) => [word, 1]));
  });
});

test('the lesson in dark mode and in forced colours, to be looked at', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const [look, media] of [['dark', { colorScheme: 'dark' }], ['forced', { forcedColors: 'active', colorScheme: 'dark' }]]) {
      const page = await open('#lesson?step=4&done=4', { width: 1280, height: 800 });
      await page.emulateMedia({ ...media, reducedMotion: 'reduce' });
      for (let i = 0; i < 4; i += 1) await button(page, 'Test the next axis').click();
      await drawn(page);
      await screenshot(page, `lesson-${look}`);
      const [next, back] = await Promise.all(['Next', 'Back'].map((name) => button(page, name).evaluate((node) => getComputedStyle(node).backgroundColor)));
      assert.notEqual(next, back, `${look}: the primary button stands out`);
      await page.close();
    }
  });
});
