import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakEven } from '../page/benchmark/contest.js';
import { cells, verdict } from '../page/parts/benchmark.js';
import { inBrowser, screenshot } from './support.mjs';

test('the break-even is where the last crossing is', () => {
  const row = (pairs, gpu, cpu = 1) => ({ pairs, cpu: { median: cpu }, gpu: { median: gpu } });
  assert.equal(breakEven([]), Infinity);
  assert.equal(breakEven([row(1e3, 9), row(1e4, 1)]), Infinity);
  assert.equal(breakEven([row(1e3, 0.9), row(1e4, 0.5)]), 0);
  const even = breakEven([row(1e3, 0.9), row(1e4, 10), row(1e5, 0.1)]);
  assert.ok(Math.abs(even / 31_622.8 - 1) < 1e-3, `${even}`);
});

test('a software adapter is no evidence of the speed of a GPU', () => {
  const rows = [{ pairs: 1e5, cpu: { median: 1 }, gpu: { median: 9 } }];
  const said = verdict(rows, { available: true, isSoftware: true, description: 'SwiftShader' });
  assert.match(said, /^No GPU was measured: SwiftShader is a software adapter/);
  assert.doesNotMatch(said, /faster|pay|break-even/i);
  assert.match(verdict(rows, { available: true, isSoftware: false, description: 'a card' }), /The CPU was faster/);
});

test('pairs a second follow from pairs and time', () => {
  const stages = { pack: 1, upload: 1, kernel: 1, readback: 1, exact: 1 };
  const row = { polygons: 10_000, pairs: 30_000, touching: 1, overlapping: 2, verified: true, cpu: { median: 2 }, gpu: { median: 10, stages } };
  assert.deepEqual(cells(row).slice(3, 7), ['2', '10', '15 million', '3 million']);
});

for (const webgpu of [true, false]) {
  test(`the benchmark checks its answers, ${webgpu ? 'with' : 'without'} WebGPU`, async () => {
    await inBrowser({ webgpu }, async ({ open }) => {
      const page = await open('#benchmark?scene=ngons&most=3000');
      const section = page.locator('[data-part=benchmark]');
      await section.getByRole('button', { name: 'Run', exact: true }).click();
      await page.waitForSelector('[data-part=benchmark][data-running=false]', { timeout: 120_000 });
      const said = await section.locator('.lead').nth(1).textContent();
      assert.match(said, webgpu ? /^No GPU was measured/ : /^CPU alone/);
      const rows = section.locator('tbody tr');
      assert.equal(await rows.count(), 3);
      for (const line of await rows.all()) {
        const cells = await line.locator('td').allTextContents();
        assert.equal(cells.at(-1), 'exactly');
        assert.equal(cells[4] !== '–', webgpu);
      }
      assert.equal(await section.locator('svg .series').count(), webgpu ? 2 : 1);
      for (const width of [1280, 1000, 844, 390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        const cut = await section.locator('.wide').evaluate((box) => [...box.querySelectorAll('td')]
          .filter((cell) => cell.offsetParent && cell.getBoundingClientRect().right > box.getBoundingClientRect().right - 1).map((cell) => cell.textContent));
        assert.deepEqual(cut, [], `${width} wide`);
        assert.ok(await section.locator('.wide').evaluate((box) => box.scrollWidth <= box.clientWidth), `${width} wide`);
        await screenshot(page, `benchmark-${webgpu ? 'webgpu' : 'cpu'}-${width}`);
      }
      await screenshot(page, `benchmark-${webgpu ? 'webgpu' : 'cpu'}`);
    });
  });
}

test('WebGPU and the CPU give the same relations', async () => {
  await inBrowser({ webgpu: true }, async ({ open }) => {
    const page = await open();
    const counts = await page.evaluate(async () => {
      const { Contest } = await import('./wasm/sat2d_web.js');
      const found = [];
      for (const scene of ['boxes', 'ngons', 'big-ngons', 'crowd', 'clustered', 'near-touching']) {
        const [gpu, cpu] = await Promise.all([true, false].map((gpu) => Contest.create(scene, 2000, 7, gpu)));
        const [a, b] = await Promise.all([gpu, cpu].map((contest) => contest.run(0, contest.pairCount)));
        const count = (relation) => b.relations.filter((other) => other === relation).length;
        const truths = await Promise.all([gpu, cpu].map((contest) => contest.verify()));
        found.push({
          truths: truths.map(({ disagreeing }) => disagreeing),
          scene, pairs: cpu.pairCount, adapter: gpu.adapter,
          differ: a.relations.filter((relation, k) => relation !== b.relations[k]).length,
          disjoint: count(0), touching: count(1), overlapping: count(2),
        });
      }
      return found;
    });
    for (const { scene, truths, pairs, adapter, differ, disjoint, overlapping, touching } of counts) {
      assert.equal(differ, 0, scene);
      assert.deepEqual(truths, [0, 0], `${scene}, by exact arithmetic`);
      assert.equal(disjoint + touching + overlapping, pairs, scene);
      assert.ok(pairs > 900 && disjoint > 0 && overlapping > 0, `${scene}: ${pairs} pairs`);
      assert.ok(adapter, 'the GPU names its adapter');
    }
    assert.ok(counts.find(({ scene }) => scene === 'near-touching').touching > 0);
  });
});
