// Tests the simulation with and without WebGPU. Pictures are slow on a software adapter, so that the tests count steps and never seconds.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { inBrowser, screenshot } from './support.mjs';

const TIMEOUT = 120_000;
const SCENES = ['pile', 'crowd', 'funnel', 'hail', 'billiards'];

/** What tests read from the simulation part of a page, and do with it. */
function handle(page) {
  const section = page.locator('#part-simulation');
  const data = () => section.evaluate((element) => ({ ...element.dataset }));
  const until = (condition, argument) => page.waitForFunction(
    ([text, value]) => {
      const element = document.querySelector('#part-simulation');
      // The part appears only after the page has handled the change of its address.
      if (!element) return false;
      if (element.dataset.failed) throw new Error(element.dataset.failed);
      return new Function('data', 'value', `return ${text}`)(element.dataset, value);
    },
    [condition, argument], { timeout: TIMEOUT, polling: 50 });
  const press = (name) => page.getByRole('button', { name, exact: true }).click();
  return {
    page, section, data, until, press,
    loaded: () => until('data.backend && data.loading === undefined'),
    async oneStep() {
      const before = Number((await data()).step);
      await press('One step');
      await until('Number(data.step) === value', before + 1);
    },
    /** Plays for at least so many steps, then stops. Resolves to the data of the part afterwards. */
    async play(steps) {
      const from = Number((await data()).step);
      await press('Play');
      await until('Number(data.step) >= value', from + steps);
      await press('Stop');
      return this.stopped();
    },
    async stopped() {
      await until('data.running === "false"');
      // Waits until the step that was under way is finished.
      let last = await data();
      for (;;) {
        await page.waitForTimeout(300);
        const now = await data();
        if (now.step === last.step && now.height === last.height) return now;
        last = now;
      }
    },
    /** A checksum of the pixels of the canvas over the device's picture. */
    ink: () => page.evaluate(() => {
      const canvas = document.querySelector('.sim-paper');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let k = 0; k < data.length; k += 4) sum += data[k + 3] && (data[k] + 3 * data[k + 1] + 7 * data[k + 2] + 11 * data[k + 3]);
      return sum;
    }),
  };
}

/** Opens a page that shows a scene without playing it. */
async function opened(open, query, { size } = {}) {
  const page = await open('', size);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate((hash) => (location.hash = hash), `#simulation?${query}`);
  const part = handle(page);
  await part.loaded();
  return part;
}

for (const webgpu of [true, false]) {
  const name = webgpu ? 'with WebGPU' : 'without WebGPU';
  const backend = webgpu ? 'webgpu' : 'cpu';

  test(`${name}: play, stop, one step and restart do what they say`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=pile&bodies=200&backend=${backend}`);
      let data = await part.data();
      // With reduced motion, the world does not play until the reader starts it.
      assert.deepEqual([data.running, data.step, data.backend, data.bodies], ['false', '0', backend, '204']);
      await part.oneStep();
      await part.oneStep();
      assert.equal((await part.stopped()).step, '2');
      data = await part.play(5);
      assert.ok(Number(data.step) >= 7, data.step);
      await part.press('Restart');
      await part.until('data.step === "0" && data.loading === undefined');
    });
  });

  test(`${name}: in a pile the mean height falls, and rises after gravity is reversed`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=pile&bodies=200&backend=${backend}`);
      const start = Number((await part.data()).height);
      const fallen = Number((await part.play(60)).height);
      assert.ok(fallen < start - 1, `${start} ${fallen}`);
      for (const name of ['contacts', 'candidate pairs']) {
        const shown = part.section.locator(`dt:text-is("${name}") + dd`);
        assert.ok(Number(await shown.textContent()) > 0, `${name} of bodies that have fallen`);
      }
      await part.section.getByRole('button', { name: 'Reverse gravity' }).click();
      assert.equal((await part.data()).gravity, 'up');
      const risen = Number((await part.play(60)).height);
      assert.ok(risen > fallen + 1, `${fallen} ${risen}`);
    });
  });

  test(`${name}: every scene goes on for 60 steps`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=pile&bodies=200&backend=${backend}`);
      for (const scene of SCENES) {
        await part.section.getByLabel('Scene').selectOption(scene);
        await part.until('data.step === "0" && data.loading === undefined && location.hash.includes(value)', `scene=${scene}`);
        assert.ok(Number((await part.play(60)).step) >= 60);
        await screenshot(part.page, `simulation-${scene}-${backend}`);
      }
    });
  });

  test(`${name}: what is switched on is drawn over the bodies`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=pile&bodies=200&backend=${backend}`);
      await part.play(90);
      for (const label of ['Contacts', 'Normals', 'Bounding boxes', 'Candidate pairs']) {
        const before = await part.ink();
        const input = part.section.getByLabel(label);
        await input.check();
        await part.page.waitForFunction(() => true);
        await part.stopped();
        assert.notEqual(await part.ink(), before, label);
        await input.uncheck();
        await part.stopped();
        assert.equal(await part.ink(), before, `${label} off`);
      }
    });
  });

  test(`${name}: a body that is thrown goes another way`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=billiards&bodies=1&backend=${backend}`);
      const { page, section } = part;
      const box = await page.locator('.sim-paper').boundingBox();
      const start = Number((await part.data()).height);
      // The scene has one moving body: N selects it, and an arrow key throws it up.
      await page.locator('.sim-paper').focus();
      await page.keyboard.press('n');
      await part.until('data.selected !== undefined');
      await page.keyboard.press('ArrowUp');
      await part.until('data.thrown === "1"');
      for (let k = 0; k < 8; k += 1) await part.oneStep();
      const up = Number((await part.stopped()).height);
      assert.ok(up > start + 0.01, `${start} ${up}`);
      // Throws the body down by pointer, from where it is now.
      const [x, y] = (await part.data()).at.split(',').map(Number);
      await page.locator('.sim-paper').focus();
      await page.keyboard.press('Escape');
      await part.until('data.selected === undefined');
      await page.mouse.move(box.x + x, box.y + y);
      await page.mouse.down();
      await part.until('data.selected !== undefined');
      await page.mouse.move(box.x + x, box.y + y + 120, { steps: 4 });
      await page.mouse.up();
      await part.until('data.thrown === "2"');
      for (let k = 0; k < 4; k += 1) await part.oneStep();
      const down = Number((await part.stopped()).height);
      assert.ok(down < up, `${up} ${down}`);
      assert.equal(await section.getAttribute('data-failed'), null);
    });
  });

  test(`${name}: while a world is played, a body follows the pointer`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=billiards&bodies=1&backend=${backend}`);
      const { page } = part;
      const box = await page.locator('.sim-paper').boundingBox();
      await page.locator('.sim-paper').focus();
      await page.keyboard.press('n');
      await part.until('data.at !== undefined');
      const [x, y] = (await part.data()).at.split(',').map(Number);
      const start = Number((await part.data()).height);
      await page.keyboard.press('Escape');
      await part.until('data.selected === undefined');
      // Time is slow enough for the body to be still there when the pointer arrives.
      await part.section.getByLabel('Speed of time').selectOption('0.1');
      await part.press('Play');
      await page.mouse.move(box.x + x, box.y + y);
      await page.mouse.down();
      await part.until('data.selected !== undefined');
      const from = Number((await part.data()).step);
      await page.mouse.move(box.x + x, box.y + y - 60, { steps: 3 });
      await part.until('data.pulled !== undefined && Number(data.step) > value', from + 20);
      await page.mouse.up();
      await part.press('Stop');
      const { height, thrown } = await part.stopped();
      assert.ok(Number(height) > start, `${start} ${height}`);
      assert.equal(thrown, undefined);
    });
  });

  test(`${name}: bodies are added at the top and at a tap, are drawn, and fall`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=pile&bodies=100&backend=${backend}`);
      const { page, section } = part;
      assert.equal((await part.data()).bodies, '104');
      const picture = async () => (await page.locator('.sim-view').screenshot()).toString('base64');
      const options = section.getByLabel('Shape', { exact: true }).locator('option');
      assert.ok((await options.allTextContents()).includes('Circle'));
      await section.getByLabel('Shape', { exact: true }).selectOption({ label: 'Circle' });
      const before = await picture();
      await part.press('Add at the top');
      await part.until('data.bodies === "105"');
      await part.stopped();
      assert.notEqual(await picture(), before, 'the body is drawn');
      await section.getByRole('switch', { name: 'Add at a tap' }).click();
      const { x, y, width, height } = await page.locator('.sim-paper').boundingBox();
      // This place, beside the top row of bodies, is free.
      await page.mouse.click(x + width * 0.75, y + height * 0.16);
      await part.until('data.bodies === "106"');
      // A tap on a wall adds no body.
      await page.mouse.click(x + width / 2, y + height - 2);
      await page.waitForFunction(() => /wall/.test(document.querySelector('.sim-add').textContent));
      assert.equal((await part.data()).bodies, '106');
      await section.getByRole('switch', { name: 'Add at a tap' }).click();
      // Shift and N select the last body, the added one. It must fall in each step.
      await page.locator('.sim-paper').focus();
      await page.keyboard.press('Shift+N');
      await part.until('data.selected === "105" && data.at !== undefined');
      const at = async () => Number((await part.data()).at.split(',')[1]);
      const high = await at();
      assert.ok(Math.abs(high - height * 0.16) < 3, `${high} ${height}`);
      for (let k = 0; k < 25; k += 1) await part.oneStep();
      await part.stopped();
      assert.ok(await at() > high + 1, `${high} ${await at()}`);
      await screenshot(page, `simulation-added-${backend}`);
      await part.press('Restart');
      await part.until('data.bodies === "104" && data.loading === undefined');
    });
  });

  test(`${name}: the address brings a scene back`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, 'scene=funnel&bodies=321&seed=7&backend=cpu&gravity=left&show=contacts.boxes');
      const data = await part.data();
      assert.deepEqual([data.backend, data.gravity], ['cpu', 'left']);
      assert.ok(Number(data.bodies) >= 321 + 4 && Number(data.bodies) < 350, data.bodies);
      assert.equal(await part.section.getByLabel('Scene').inputValue(), 'funnel');
      assert.ok(await part.section.getByLabel('Bounding boxes').isChecked());
      assert.ok(!(await part.section.getByLabel('Normals').isChecked()));
      await part.page.waitForFunction(() => ['scene=funnel', 'bodies=321', 'seed=7', 'gravity=left', 'show=contacts.boxes']
        .every((word) => location.hash.includes(word)));
      const height = Number(data.height);
      // Another seed makes another scene.
      await part.page.evaluate(() => (location.hash = location.hash.replace('seed=7', 'seed=8')));
      await part.until('data.loading === undefined && Number(data.height) !== value', height);
    });
  });

  test(`${name}: memory does not grow`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const part = await opened(open, `scene=pile&bodies=200&show=contacts&backend=${backend}`);
      const memory = () => part.page.evaluate(async () => {
        const wasm = await (await import('./wasm/sat2d_web.js')).default();
        return wasm.memory.buffer.byteLength;
      });
      // Lets the pile settle first: while the number of contacts grows, so does the memory for showing them.
      await part.play(240);
      const before = await memory();
      await part.play(300);
      assert.equal(await memory(), before);
    });
  });
}

test('on a phone nothing is wider than the page, and fewer bodies are enough without WebGPU', async () => {
  await inBrowser({ webgpu: false }, async ({ open }) => {
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
  await inBrowser({ webgpu: false }, async ({ open }) => {
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
  await inBrowser({ webgpu: false }, async ({ open }) => {
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

test('WebGPU and the CPU make the same of a pile', async () => {
  await inBrowser({ webgpu: true }, async ({ open }) => {
    const heights = [];
    for (const backend of ['webgpu', 'cpu']) {
      const part = await opened(open, `scene=pile&bodies=200&seed=3&backend=${backend}`);
      for (let k = 0; k < 30; k += 1) await part.oneStep();
      const data = await part.stopped();
      assert.deepEqual([data.backend, data.step, data.bodies], [backend, '30', '204']);
      heights.push(Number(data.height));
    }
    assert.ok(Math.abs(heights[0] - heights[1]) < 0.02, heights.join(' '));
  });
});

test('a device that is lost is said, and the CPU goes on', async () => {
  await inBrowser({ webgpu: true }, async ({ context, open }) => {
    await context.addInitScript(() => {
      const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function requestDevice(...given) {
        return (globalThis.device = await request.apply(this, given));
      };
    });
    const part = await opened(open, 'scene=pile&bodies=100&backend=webgpu');
    await part.oneStep();
    await part.page.evaluate(() => globalThis.device.destroy());
    await part.press('One step');
    await part.page.waitForFunction(() => document.querySelector('#part-simulation').dataset.failed, null, { timeout: TIMEOUT });
    assert.match(await part.page.locator('.sim-message').innerText(), /GPU stopped/);
    await part.press('Go on with the CPU');
    await part.until('data.backend === "cpu" && data.loading === undefined');
    await part.oneStep();
  });
});

test('an adapter that is a program is not the first choice, and the page says so', async () => {
  await inBrowser({ webgpu: true }, async ({ open }) => {
    const part = await opened(open, 'scene=pile&bodies=100');
    assert.equal((await part.data()).backend, 'cpu');
    assert.match(await part.section.innerText(), /is a program that plays a GPU/);
    await part.section.getByLabel('Steps on').selectOption('webgpu');
    await part.until('data.backend === "webgpu" && data.loading === undefined');
  });
});
