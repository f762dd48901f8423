// What the tests of the simulation share, and the tests that run on each backend. Pictures are slow on a software adapter, so that the tests
// count steps and never seconds.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { drawn, inBrowser, inKeptContext, screenshot } from './support.mjs';

export const TIMEOUT = 120_000;
export const SCENES = ['pile', 'crowd', 'funnel', 'hail', 'billiards'];

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
    /**
     * Waits until no call to the simulation is under way, so that the last step is drawn. Then checks that the world stands still for
     * some pictures. Resolves to the data of the part.
     */
    async stopped() {
      await until('data.running === "false"');
      await drawn(page);
      await page.waitForFunction(() => globalThis.calls === 0, null, { timeout: TIMEOUT });
      const last = await data();
      for (let picture = 0; picture < 3; picture += 1) await drawn(page);
      const { step, height } = await data();
      assert.deepEqual({ step, height }, { step: last.step, height: last.height });
      return last;
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

/** Counts, as `calls`, the calls to the simulation that are under way. Runs in the page. */
async function countCalls() {
  const { Player } = await import(new URL('./simulation/player.js', document.baseURI));
  globalThis.calls = 0;
  for (const name of ['do', 'load']) {
    const call = Player.prototype[name];
    Player.prototype[name] = function counted(...given) {
      globalThis.calls += 1;
      return call.apply(this, given).finally(() => (globalThis.calls -= 1));
    };
  }
}

/** Keeps the device of the page as `device`, so that a test can take it away. Runs in the page. */
function keepDevice() {
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function requestDevice(...given) {
    return (globalThis.device = await request.apply(this, given));
  };
}

/** Opens a page that shows a scene without playing it. */
export async function opened(open, query, { size } = {}) {
  const page = await open('', size);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(countCalls);
  await page.evaluate((hash) => (location.hash = hash), `#simulation?${query}`);
  const part = handle(page);
  await part.loaded();
  return part;
}

/**
 * Shows a scene from its start on the device of an earlier test, in the page that is open: the reader goes to another address and
 * presses "Restart".
 */
async function openedAgain(page, query) {
  const part = handle(page);
  await page.evaluate(async (hash) => {
    const { dataset } = document.querySelector('#part-simulation');
    for (const count of ['thrown', 'pulled']) delete dataset[count];
    if (location.hash !== hash) {
      await new Promise((done) => {
        addEventListener('hashchange', done, { once: true });
        location.hash = hash;
      });
    }
  }, `#simulation?${query}`);
  await part.loaded();
  await part.press('Restart');
  await part.loaded();
  await part.stopped();
  return part;
}

/**
 * Runs `look(part)` with a scene that has just been loaded, on a backend. The tests on WebGPU go on in one page, because its device has
 * the shaders compiled.
 */
export async function inWorld(backend, query, look) {
  // Of two seeds in an address, the first counts.
  const address = `${query}&backend=${backend}&seed=1`;
  if (backend === 'cpu') {
    await inBrowser({}, async ({ open }) => look(await opened(open, address)));
  } else {
    await inKeptContext(async ({ open, context }) => {
      const [page] = context.pages();
      if (!page) await context.addInitScript(keepDevice);
      await look(page ? await openedAgain(page, address) : await opened(open, address));
    });
  }
}

/** The tests of worlds on the device of a browser with WebGPU, or on the CPU of one without. */
export function testWorlds(webgpu) {
  const name = webgpu ? 'with WebGPU' : 'without WebGPU';
  const backend = webgpu ? 'webgpu' : 'cpu';

  // This is the first test, because only the memory of a new page can show growth.
  test(`${name}: memory does not grow`, async () => {
    await inWorld(backend, 'scene=pile&bodies=60&show=contacts&speed=4', async (part) => {
      const memory = () => part.page.evaluate(async () => {
        const wasm = await (await import('./wasm/sat2d_web.js')).default();
        return wasm.memory.buffer.byteLength;
      });
      // Lets the pile settle first: while the number of contacts grows, so does the memory for showing them.
      await part.play(120);
      await part.section.getByLabel('Speed of time').selectOption('1');
      const before = await memory();
      await part.play(120);
      assert.equal(await memory(), before);
    });
  });

  test(`${name}: play, stop, one step and restart do what they say`, async () => {
    await inWorld(backend, 'scene=pile&bodies=200', async (part) => {
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
    await inWorld(backend, 'scene=pile&bodies=200&speed=4', async (part) => {
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
    await inWorld(backend, 'scene=pile&bodies=200&speed=4', async (part) => {
      for (const scene of SCENES) {
        await part.section.getByLabel('Scene').selectOption(scene);
        await part.until('data.step === "0" && data.loading === undefined && location.hash.includes(value)', `scene=${scene}`);
        assert.ok(Number((await part.play(60)).step) >= 60);
        await screenshot(part.page, `simulation-${scene}-${backend}`);
      }
    });
  });

  test(`${name}: what is switched on is drawn over the bodies`, async () => {
    await inWorld(backend, 'scene=pile&bodies=200&speed=4', async (part) => {
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
    await inWorld(backend, 'scene=billiards&bodies=1', async (part) => {
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
    await inWorld(backend, 'scene=billiards&bodies=1', async (part) => {
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
    await inWorld(backend, 'scene=pile&bodies=100', async (part) => {
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
}
