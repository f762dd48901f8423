// Tests the layout on a phone and on a small desktop, and that highlighted rows and switches are readable.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser, screenshot, visit } from './support.mjs';

const PHONE = { width: 390, height: 844 };
/** A phone on its side, and a window of 1280 by 800 pixels zoomed to 200 percent. */
const LANDSCAPE = { width: 844, height: 390 };
const ENLARGED = { width: 640, height: 400 };
const DESKTOP = { width: 1280, height: 800 };
const pictured = ['point', 'pair', 'sweep', 'simulation'];

const boxOf = (page, part, selector) => page.locator(`section[data-part="${part}"] ${selector}`).first().boundingBox();

test('the picture comes first, and its answer is in view', async () => {
  await inBrowser({ worker: true }, async ({ open }) => {
    for (const [name, size, top] of [['phone', PHONE, 100], ['desktop', DESKTOP, 120], ['phone on its side', LANDSCAPE, 60], ['window at 200 %', ENLARGED, 60]]) {
      const page = await open('#benchmark', size);
      for (const part of pictured) {
        await visit(page, `#${part}`);
        const view = await boxOf(page, part, '.view');
        assert.ok(view.y < top, `${part} on a ${name}: the picture begins at ${view.y}`);
        if (part !== 'simulation') {
          const verdict = await boxOf(page, part, '.verdict');
          assert.ok(verdict.y + verdict.height <= size.height, `${part} on a ${name}: the answer ends at ${verdict.y + verdict.height}`);
        }
        if (size.height < 500) assert.ok(view.y + view.height <= size.height, `${part} on a ${name}: the picture ends at ${view.y + view.height}`);
        await screenshot(page, `layout-${part}-${name.replaceAll(/\W+/g, '-')}`);
      }
      await page.close();
    }
  });
});

test('the controls of every simulated scene are in view', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson', DESKTOP);
    for (const scene of ['pile', 'crowd', 'funnel', 'hail', 'billiards']) {
      await visit(page, `#simulation?scene=${scene}&bodies=100`);
      await page.waitForFunction(() => {
        const { backend, loading } = document.querySelector('#part-simulation').dataset;
        return backend && loading === undefined;
      });
      await drawn(page);
      const { y, height } = await boxOf(page, 'simulation', '.sim-transport');
      assert.ok(y + height <= DESKTOP.height, `${scene}: ${y + height}`);
    }
  });
});

test('no table is cut off, and nothing is wider than the page', async () => {
  await inBrowser({ worker: true }, async ({ open }) => {
    for (const size of [PHONE, { width: 320, height: 640 }, LANDSCAPE, ENLARGED, { width: 1000, height: 700 }, DESKTOP]) {
      const page = await open('#lesson', size);
      for (const part of [...pictured, 'benchmark']) {
        await visit(page, `#${part}`);
        const name = `${part} at ${size.width} x ${size.height}`;
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
        const cut = await page.locator('section:visible .scroll-x').evaluateAll((boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth).length);
        assert.equal(cut, 0, name);
      }
      await page.close();
    }
  });
});

test('the table of a star has all its columns in view at any width', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const hash of ['#pair?a=star&pa=-2_0_0&b=star&pb=2_0_20', '#pair?a=star&pa=-0.5_0_10&b=hexagon&pb=0.5_0_20', '#point?shape=star&point=0.5_0.25']) {
      const page = await open(hash, DESKTOP);
      for (const width of [901, 1000, 1080, 1140, 1200, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await drawn(page);
        const [seen, whole] = await page.locator('section:visible .scroll-x').evaluate((box) => [box.clientWidth, box.scrollWidth]);
        assert.equal(whole, seen, `${hash} at ${width}`);
      }
      await page.close();
    }
  });
});

test('on a phone on its side, a row marks its axis with the picture in view', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const size of [LANDSCAPE, ENLARGED]) {
      const page = await open('#pair', size);
      const button = page.locator('section[data-part="pair"] tbody').getByRole('button').nth(2);
      await button.focus();
      await button.scrollIntoViewIfNeeded();
      assert.deepEqual(await marked(page), [3]);
      const view = await boxOf(page, 'pair', '.view');
      assert.ok(view.y >= 0 && view.y + view.height <= size.height, `${view.y}`);
      await screenshot(page, `layout-marked-${size.width}`);
      await page.close();
    }
  });
});

test('tabs that are out of view are hinted at', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#lesson', PHONE);
    const sign = (side) => page.evaluate((pseudo) => {
      const { content, display } = getComputedStyle(document.querySelector('nav.parts'), pseudo);
      return content !== 'none' && display !== 'none';
    }, side === 'left' ? '::before' : '::after');
    assert.deepEqual([await sign('left'), await sign('right')], [false, true]);
    await page.click('nav a[href="#benchmark"]');
    await page.waitForSelector('section[data-part="benchmark"]:visible');
    await page.evaluate(() => {
      const list = document.querySelector('#navigation');
      list.scrollLeft = list.scrollWidth;
    });
    await drawn(page);
    assert.deepEqual([await sign('left'), await sign('right')], [true, false]);
    await page.setViewportSize(DESKTOP);
    await drawn(page);
    assert.deepEqual([await sign('left'), await sign('right')], [false, false]);
  });
});

/** The numbers of the axes that the table highlights. */
const marked = (page) => page.locator('section[data-part="pair"] tr.marked').evaluateAll((rows) => rows.map((row) => Number(row.dataset.axis) + 1));

test('a row marks its axis by tap and by focus, with the picture in view', async () => {
  await inBrowser({}, async ({ open, context }) => {
    const page = await open('#pair', PHONE);
    const session = await context.newCDPSession(page);
    const row = page.locator('section[data-part="pair"] tbody tr').nth(1);
    await row.scrollIntoViewIfNeeded();
    await page.evaluate(() => document.querySelectorAll('section[data-part="pair"] tbody tr')[1].scrollIntoView({ block: 'end' }));
    const pixels = () => page.locator('section[data-part="pair"] canvas').screenshot();
    const before = await pixels();
    const { x, y, width, height } = await row.boundingBox();
    const touchPoints = [{ x: Math.min(x + width / 2, 200), y: y + height / 2 }];
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.waitForSelector('section[data-part="pair"] tr.marked');
    assert.deepEqual(await marked(page), [2]);
    await drawn(page);
    const view = await boxOf(page, 'pair', '.view');
    assert.ok(view.y >= 0 && view.y + view.height <= PHONE.height, `the picture lies at ${view.y}`);
    assert.notDeepEqual(await pixels(), before);
    const button = await row.getByRole('button').boundingBox();
    assert.ok(button.y >= view.y + view.height && button.y + button.height <= PHONE.height, 'and the row is not under it');
    await screenshot(page, 'layout-marked-phone');
    await page.close();

    const wide = await open('#pair', DESKTOP);
    const buttons = wide.locator('section[data-part="pair"] tbody').getByRole('button');
    await buttons.first().focus();
    assert.deepEqual(await marked(wide), [1]);
    for (let i = 0; i < 2; i += 1) await wide.keyboard.press('ArrowDown');
    assert.deepEqual(await marked(wide), [3]);
    const picture = await boxOf(wide, 'pair', '.view');
    const focused = await buttons.nth(2).boundingBox();
    assert.ok(picture.y >= 0 && picture.y + picture.height <= focused.y && focused.y + focused.height <= DESKTOP.height);
    const table = await wide.locator('section[data-part="pair"] .scroll-x').evaluate((box) => [box.clientWidth, box.scrollWidth]);
    assert.equal(table[0], table[1], 'no column is cut off');
    // The focus stays in the same row while the values change.
    await wide.evaluate(() => document.querySelector('.handle.body').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true })));
    await drawn(wide);
    assert.deepEqual(await marked(wide), [3]);
    await wide.keyboard.press('Tab');
    assert.deepEqual(await marked(wide), []);
  });
});

/** The contrast of each text of the table's rows, in each state of a row: `[class, text, contrast]`. */
function contrasts() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (colours) => {
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => (node ? [...behind(node.parentElement), getComputedStyle(node).backgroundColor] : ['#fff']);
  const found = [];
  for (const row of document.querySelectorAll('section[data-part="pair"] tbody tr')) {
    const isDeciding = row.classList.contains('deciding');
    for (const state of ['', 'marked', 'deciding', 'deciding marked']) {
      row.className = state;
      for (const node of row.querySelectorAll('td, .tag')) {
        const colours = behind(node);
        const [low, high] = [luminance([...colours, getComputedStyle(node).color]), luminance(colours)].sort((x, y) => x - y);
        found.push([state, node.textContent, (high + 0.05) / (low + 0.05)]);
      }
    }
    row.className = isDeciding ? 'deciding' : '';
  }
  return found;
}

test('rows that stand out are readable, in light and dark', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair');
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      const found = await page.evaluate(contrasts);
      assert.ok(found.length > 30);
      assert.deepEqual(found.filter(([, , contrast]) => contrast < 4.5), [], colorScheme);
    }
  });
});

test('switches are seen in forced colours, and whether they are on', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open('#pair', DESKTOP);
      await page.emulateMedia({ forcedColors: 'active', colorScheme, reducedMotion: 'reduce' });
      const part = page.locator('section[data-part="pair"]');
      const [on, off] = [/Touching counts/, /Edit the corners of A/].map((name) => part.getByRole('switch', { name }));
      const luminances = [];
      for (const input of [on, off]) {
        const png = (await input.screenshot()).toString('base64');
        // Reads two pixels along the middle of the switch: one of the track and one of the thumb.
        luminances.push(await page.evaluate(async (data) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
          context.drawImage(image, 0, 0);
          return [10, 36].map((x) => {
            const [r, g, b] = context.getImageData(x, image.height / 2, 1, 1).data;
            return Math.round((r + g + b) / 3);
          });
        }, png));
      }
      const [[onTrack, onThumb], [offThumb, offTrack]] = luminances;
      for (const [name, p, q] of [['on', onTrack, onThumb], ['off', offThumb, offTrack]]) {
        assert.ok(Math.abs(p - q) > 80, `${colorScheme}, ${name}: ${p} on ${q}`);
      }
      assert.ok(Math.abs(onTrack - offTrack) > 40, `${colorScheme}: ${onTrack} on, ${offTrack} off`);
      await screenshot(page, `layout-forced-${colorScheme}`);
      await page.close();
    }
  });
});
