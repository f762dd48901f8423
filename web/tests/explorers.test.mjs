// Tests the parts "Two polygons", "A point and a polygon" and "Fast bodies" by the actions of a reader.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, inBrowser, saved, screenshot, visit } from './support.mjs';

const section = (page, part) => page.locator(`section[data-part="${part}"]`);

const relationOf = (page, part = 'pair') => section(page, part).getAttribute('data-relation');

/** CSS pixels per unit of the picture. */
const scaleOf = async (page, part) => Number(await section(page, part).locator('.view[data-scale]').getAttribute('data-scale'));

/** Waits until the part has asked the library about what it shows. Resolves to the relation. */
async function settled(page, part = 'pair') {
  await drawn(page);
  return relationOf(page, part);
}

/** The library's answer about two polygons. */
const ask = (page, a, b) => page.evaluate(async ([a, b]) => {
  const wasm = await import('./wasm/sat2d_web.js');
  return wasm.explainPair(a, b, true);
}, [a, b]);

/** A list without the values that equal the one before. */
const runs = (list) => list.filter((value, i) => value !== list[i - 1]);

const acrossAndBack = ['disjoint', 'touching', 'overlapping', 'touching', 'disjoint'];

for (const webgpu of [true, false]) {
  test(`dragging A across B with the mouse ${webgpu ? 'with' : 'without'} WebGPU`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const page = await open('#pair?a=square&pa=-3_0_0&b=hexagon&pb=0.5_0_0');
      const box = await section(page, 'pair').getByRole('button', { name: /^Polygon A/ }).boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      // Moves by half a step of the grid at a time, 7.5 units to the right.
      const scale = await scaleOf(page, 'pair');
      const relations = [await settled(page)];
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (let way = 0; way <= 7.5; way += 1 / 16) {
        await page.mouse.move(x + way * scale, y);
        relations.push(await settled(page));
      }
      assert.deepEqual(runs(relations), acrossAndBack);
      await page.mouse.move(x, y);
      await page.mouse.up();
      assert.equal(await settled(page), 'disjoint');
    });
  });
}

test('the keyboard drags and turns too', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair?a=square&pa=-3_0_0&b=hexagon&pb=0.5_0_0');
    const handle = section(page, 'pair').getByRole('button', { name: /^Polygon A/ });
    await handle.focus();
    const relations = [await settled(page)];
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('ArrowRight');
      relations.push(await settled(page));
    }
    assert.deepEqual(runs(relations), acrossAndBack);
    await page.waitForFunction(() => location.hash.includes('pa=4.5_0_0'));
    await page.keyboard.press('q');
    await page.keyboard.press('Shift+ArrowUp');
    await page.waitForFunction(() => location.hash.includes('pa=4.5_1_15'));
    assert.match(await page.textContent('#announcements'), /Disjoint/);
  });
});

test('the area of a polygon is dragged by touch as well', async () => {
  await inBrowser({}, async ({ open, context }) => {
    const page = await open('#pair?a=square&pa=-3_0_0&b=hexagon&pb=0.5_0_0', { width: 360, height: 740 });
    const session = await context.newCDPSession(page);
    const box = await page.locator('section[data-part="pair"] canvas').boundingBox();
    const scale = await scaleOf(page, 'pair');
    const at = (x, y) => [{ x: box.x + box.width / 2 + x * scale, y: box.y + box.height / 2 - y * scale }];
    const send = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
    await send('touchStart', at(-3.9, -0.9));
    for (const x of [-3.5, -3, -2.5, -2]) await send('touchMove', at(x, -0.9));
    await send('touchEnd', []);
    await settled(page);
    await page.waitForFunction(() => !location.hash.includes('pa=-3_0_0') && location.hash.includes('pa=-1'));
    assert.equal(await relationOf(page), 'overlapping');
  });
});

test('the table has a row for each axis, and what it says is what the library says', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair?a=triangle&pa=-1_0_20&b=star&pb=1.25_0.5_0');
    const a = { ring: [[-1.5, -1], [1.5, -1], [0, 1.5]], x: -1, y: 0, degrees: 20 };
    const ring = [[0, 1.75], [-0.5, 0.5], [-1.75, 0.5], [-0.75, -0.375], [-1.125, -1.5], [0, -0.75], [1.125, -1.5], [0.75, -0.375], [1.75, 0.5], [0.5, 0.5]];
    const found = await ask(page, a, { ring, x: 1.25, y: 0.5, degrees: 0 });
    assert.equal(await settled(page), found.relation);
    const rows = section(page, 'pair').locator('tbody tr');
    assert.equal(await rows.count(), found.axes.length);
    assert.ok(found.b.pieces.length > 1);
    const tones = await rows.evaluateAll((all) => all.map((row) => row.dataset.tone));
    assert.deepEqual(tones, found.axes.map((axis) => (axis.separates ? 'apart' : axis.overlap === 0 ? 'touch' : 'meets')));
    assert.equal(await section(page, 'pair').locator('tr.deciding').getAttribute('data-axis'), String(found.deciding));
    // Parallel edges share an axis, so that two squares have only two axes.
    await page.goto(page.url().split('#')[0] + '#pair?a=square&pa=-1_0_0&b=square&pb=1_0_0');
    await page.waitForFunction(() => document.querySelectorAll('section[data-part="pair"] tbody tr').length === 2);
  });
});

test('whether touching counts changes the answer, and not the relation', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair?a=square&pa=-1.25_0_0&b=square&pb=1.25_0.5_0');
    const part = section(page, 'pair');
    assert.equal(await settled(page), 'touching');
    assert.match(await part.textContent(), /Do they collide\? Yes/);
    await part.getByRole('switch', { name: /Touching counts/ }).click();
    assert.equal(await settled(page), 'touching');
    assert.match(await part.textContent(), /Do they collide\? No/);
    await page.waitForFunction(() => location.hash.includes('touching=0'));
  });
});

test('snapping brings turned polygons to touch, from apart and from within', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open();
    const base = page.url().split('#')[0];
    for (const [a, b] of [['pa=-3_0.5_35&a=irregular', 'pb=2_0_71&b=hexagon'], ['pa=0_0_10&a=triangle', 'pb=1_0.25_3&b=square'], ['pa=0.5_0_0&a=star', 'pb=-1_0_12&b=arrow']]) {
      await page.goto(`${base}#pair?${a}&${b}`);
      assert.notEqual(await settled(page), 'touching');
      await section(page, 'pair').getByRole('button', { name: 'Snap to touching' }).click();
      assert.equal(await settled(page), 'touching', `${a} ${b}`);
      // The address stores the position exactly.
      await saved(page);
      const copy = await open(new URL(page.url()).hash);
      assert.equal(await settled(copy), 'touching');
      await copy.close();
    }
  });
});

test('corners are dragged, added and removed; what is no polygon is said in words', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#pair?a=square&pa=-2_0_0&b=hexagon&pb=2.5_0_0');
    const part = section(page, 'pair');
    await part.getByRole('switch', { name: 'Edit the corners of A' }).click();
    const corner = part.getByRole('button', { name: /^Corner 3 of A/ });
    await corner.focus();
    await page.keyboard.press('ArrowRight');
    await settled(page);
    await page.waitForFunction(() => location.hash.includes('a=-1.25_-1.25*1.25_-1.25*1.375_1.25*-1.25_1.25'));
    const corners = part.getByRole('button', { name: /^Corner \d of A/ });
    await part.getByRole('button', { name: 'Add a corner' }).first().click();
    assert.equal(await corners.count(), 5);
    await part.getByRole('button', { name: 'Remove a corner' }).first().click();
    assert.equal(await corners.count(), 4);
    // Drags a corner past the opposite side, so that edges cross.
    await drawn(page);
    const box = await corner.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 60, box.y + 300, { steps: 12 });
    await page.mouse.up();
    await settled(page);
    assert.match(await part.locator('.verdict').textContent(), /No polygon.*Edges of A cross/);
    assert.equal(await relationOf(page), null);
  });
});

test('a point goes in over the boundary, by keys and by the button', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#point?shape=square&point=2.5_0.5');
    const part = section(page, 'point');
    await part.getByRole('button', { name: /^The point/ }).focus();
    const relations = [await settled(page, 'point')];
    for (let i = 0; i < 40; i += 1) {
      await page.keyboard.press('ArrowLeft');
      relations.push(await settled(page, 'point'));
    }
    assert.deepEqual(runs(relations), ['outside', 'boundary', 'inside', 'boundary', 'outside']);
    assert.equal(await part.locator('tbody tr').count(), 2);
    await page.goto(`${page.url().split('#')[0]}#point?shape=star&point=0.3_0.1`);
    assert.equal(await settled(page, 'point'), 'inside');
    await part.getByRole('button', { name: 'Put it on the boundary' }).click();
    assert.equal(await settled(page, 'point'), 'boundary');
  });
});

test('a point is dragged by the mouse', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#point?shape=hexagon&point=3_0');
    const box = await section(page, 'point').getByRole('button', { name: /^The point/ }).boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const scale = await scaleOf(page, 'point');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 1.5 * scale, y);
    assert.equal(await settled(page, 'point'), 'boundary');
    await page.mouse.move(x - 2 * scale, y);
    assert.equal(await settled(page, 'point'), 'inside');
    await page.mouse.up();
  });
});

test('looks far apart miss the wall, and the time of impact does not', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#sweep?body=dart&flight=0.1_40_0.25');
    const part = section(page, 'sweep');
    await page.waitForSelector('section[data-part="sweep"][data-missed="true"]');
    const impact = Number(await part.getAttribute('data-impact'));
    // The dart's tip starts at x = -6.875, the wall's left side is at x = 1.875, and the speed is 40 units per second.
    assert.ok(impact <= 8.75 / 40 && impact > 8.75 / 40 - 1e-4, String(impact));
    await part.getByRole('slider', { name: 'Time step' }).focus();
    for (let i = 0; i < 15; i += 1) await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('section[data-part="sweep"][data-missed="false"]');
    assert.equal(Number(await part.getAttribute('data-impact')), impact);
    await page.waitForFunction(() => location.hash.includes('flight=0.025_40_0.25'));
  });
});

test('a body and a wall that turn are followed, and drawn as they are', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#point');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.evaluate(() => (location.hash = '#sweep?body=square&flight=0.1_40_0.25'));
    await page.waitForSelector('section[data-part="sweep"][data-impact]');
    const part = section(page, 'sweep');
    const seen = async () => {
      await drawn(page);
      return [Number(await part.getAttribute('data-impact')), (await part.locator('canvas').screenshot()).toString('base64')];
    };
    const still = await seen();
    const spin = async (name) => {
      await part.getByRole('slider', { name }).focus();
      for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
      return seen();
    };
    const turning = await spin('Spin of the body');
    // A corner reaches the wall before the side does.
    assert.ok(turning[0] < still[0] - 1e-4, `${turning[0]} ${still[0]}`);
    const both = await spin('Spin of the wall');
    assert.notEqual(both[0], turning[0]);
    assert.equal(new Set([still, turning, both].map(([, picture]) => picture)).size, 3);
    await page.waitForFunction(() => location.hash.includes('spin=0.75_0.75'));
    await screenshot(page, 'sweep-spin');
    // The look at 0.3 s finds the body within the wall, with its middle at (4.5, -0.45). It is filled in orange. The picture is 17.2 wide.
    const [red, , blue] = await part.locator('canvas').evaluate((canvas) => {
      const unit = canvas.width / 17.2;
      return [...canvas.getContext('2d').getImageData(canvas.width / 2 + 4.5 * unit, canvas.height / 2 + 0.45 * unit, 1, 1).data];
    });
    assert.ok(red > 150 && blue < 60, `${red} ${blue}`);
    await part.getByRole('button', { name: 'Reset' }).click();
    await page.waitForFunction(() => !location.hash.includes('spin='));
  });
});

test('the picture of a flight moves a body and a wall as the library does', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#sweep');
    const found = await page.evaluate(async () => {
      const [{ followFlight }, { after }] = await Promise.all(
        ['./wasm/sat2d_web.js', './flight.js'].map((name) => import(new URL(name, document.baseURI))));
      const box = (x, y) => [[-x, -y], [x, -y], [x, y], [-x, y]];
      const answer = followFlight({
        body: { ring: box(0.375, 0.375), x: -7.5, y: 0.75, degrees: 15 }, velocity: [40, -4], spin: 270,
        wall: { ring: box(0.125, 2.5), x: 2, y: 0.5, degrees: 0 }, wallSpin: -450, step: 0.1, duration: 0.375,
      });
      const body = after(answer.body, { centre: [-7.5, 0.75], velocity: [40, -4], spin: 0.75 }, answer.time);
      const wall = after(answer.wall, { centre: [2, 0.5], velocity: [0, 0], spin: -1.25 }, answer.time);
      const errors = [[body, answer.bodyThen], [wall, answer.wallThen]]
        .map(([ours, theirs]) => Math.max(...ours.flatMap(([x, y], i) => [Math.abs(x - theirs[i][0]), Math.abs(y - theirs[i][1])])));
      return { outcome: answer.outcome, errors };
    });
    assert.equal(found.outcome, 'hit');
    assert.ok(found.errors.every((error) => error < 1e-6), found.errors.join(' '));
  });
});

test('with reduced motion nothing moves until it is played', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open('#point');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.click('nav a[href="#sweep"]');
    const part = section(page, 'sweep');
    await page.waitForSelector('section[data-part="sweep"][data-impact]');
    assert.equal(await part.getAttribute('data-playing'), 'false');
    await part.getByRole('button', { name: 'Play' }).click();
    assert.equal(await part.getAttribute('data-playing'), 'true');
    await part.getByRole('button', { name: 'Pause' }).click();
    assert.equal(await part.getAttribute('data-playing'), 'false');
  });
});

test('an address brings back the state of each part', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const hash of [
      '#point?shape=arrow&point=0.5_-1.25',
      '#point?shape=-1_0*1_0*0_2&point=7_1.125',
      '#pair?a=star&pa=1.5_-0.25_30&b=-1_-1*1_-1*0_1.5&pb=-2_0_345&touching=0',
      '#sweep?body=hexagon&flight=0.05_64_0.5',
      '#sweep?body=square&flight=0.05_64_0.5&spin=-1.25_0.5&wall=1_0.5_90',
    ]) {
      const page = await open(hash);
      await saved(page);
      assert.equal(new URL(page.url()).hash, hash);
      await page.close();
    }
    // Shapes and places that cannot be read are ignored.
    const page = await open('#pair?a=nonsense&pa=1_x_0&b=1_1*2_2');
    assert.equal(await settled(page), 'disjoint');
  });
});

test('every part has a name and every control a label, and none is too small for a finger', async () => {
  await inBrowser({}, async ({ open }) => {
    for (const part of ['point', 'pair', 'sweep']) {
      const page = await open(`#${part}`, { width: 360, height: 740 });
      for (const toggle of await page.locator('section:visible').getByRole('switch', { name: /Edit/ }).all()) await toggle.click();
      const nameless = await page.evaluate(() => {
        const labelled = (control) => control.getAttribute('aria-label') || control.labels?.length || control.textContent.trim();
        const controls = document.querySelectorAll('section:not([hidden]) :is(button, select, input, canvas)');
        return [...controls].filter((control) => !labelled(control)).map((control) => control.outerHTML);
      });
      assert.deepEqual(nameless, []);
      const small = await page.evaluate(() => {
        const controls = [...document.querySelectorAll('button, select, nav a, .toggle')].filter((control) => control.offsetParent);
        // Handles of corners may be smaller than other controls, because corners can be close together.
        return controls.filter((control) => control.offsetHeight < (control.matches('.vertex') ? 32 : 44)).map((control) => control.outerHTML);
      });
      assert.deepEqual(small, []);
      await page.close();
    }
  });
});

test('nothing is wider than a narrow screen', async () => {
  await inBrowser({ webgpu: true }, async ({ open }) => {
    for (const width of [320, 360]) {
      const page = await open('#lesson', { width, height: 740 });
      for (const part of ['point', 'pair', 'sweep']) {
        await visit(page, `#${part}`);
        await settled(page, part);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${part} at ${width}`);
      }
      await page.close();
    }
  });
});

test('words are readable on what is behind them, in light and dark', async () => {
  await inBrowser({}, async ({ open }) => {
    const page = await open();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const weak = await page.evaluate(() => {
        const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const luminance = (name) => {
          context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
          context.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (p, q) => {
          const [low, high] = [luminance(p), luminance(q)].sort((x, y) => x - y);
          return (high + 0.05) / (low + 0.05);
        };
        const pairs = [...['ink', 'quiet', 'a', 'b', 'apart', 'meets', 'accent'].flatMap((ink) => [[ink, 'card'], [ink, 'paper']]),
          ['ink', 'apart-wash'], ['ink', 'meets-wash'], ['ink', 'touch-wash'], ['on-accent', 'accent']];
        return pairs.map(([p, q]) => [p, q, contrast(p, q)]).filter(([, , found]) => found < 4.5);
      });
      assert.deepEqual(weak, [], colorScheme);
    }
  });
});

test('pictures of every part, to be looked at', async () => {
  await inBrowser({}, async ({ open }) => {
    const states = {
      point: '#point', 'point-inside': '#point?shape=star&point=0.5_0.25', pair: '#pair',
      'pair-overlapping': '#pair?a=irregular&pa=-0.75_0.25_20&b=hexagon&pb=1.125_0_0',
      'pair-touching': '#pair?a=square&pa=-1.25_0_0&b=square&pb=1.25_0.5_0',
      'pair-concave': '#pair?a=star&pa=-1.5_0_10&b=corner&pb=1.25_0_0', sweep: '#sweep',
    };
    for (const [look, colorScheme, size] of [['light', 'light', [1200, 900]], ['dark', 'dark', [1200, 900]], ['phone', 'light', [360, 740]]]) {
      const page = await open('#benchmark', { width: size[0], height: size[1] });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const [name, hash] of Object.entries(states)) {
        await visit(page, hash);
        await page.waitForSelector(`section[data-part="${name.split('-')[0]}"]:visible`);
        await screenshot(page, `${name}-${look}`);
      }
      await page.close();
    }
  });
});
