// Runs the benchmark: for sizes from small to large, times both backends in turn on the same pairs and compares their answers.

import { Threads } from './threads.js';

/** The numbers of polygons of the rows, in order. A slow row ends the benchmark before the last number. */
export const SIZES = [300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000];
const RUNS = 7;
/**
 * In milliseconds. A row with a longer median is the last row. A row has fewer runs if its third run or a later one, summed over the
 * backends, takes longer.
 */
const ENOUGH = 1_500;
/** Exact arithmetic also checks the rows with at most this many pairs. */
const VERIFIED = 40_000;

/** Two backends disagree, or a backend disagrees with exact arithmetic. */
export class WrongAnswer extends Error {}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Yields a row for each size, up to the first slow row (see `ENOUGH`): `{ polygons, pairs, touching, overlapping, verified, cpu, gpu }`.
 * `cpu` and `gpu` are `{ median, least, greatest, stages }` in milliseconds. `gpu` is null unless `withGpu`.
 *
 * Throws `WrongAnswer` if backends disagree with each other or with exact arithmetic: the time of a wrong answer means nothing.
 */
export async function* contest({ wasm, scene, seed, withGpu, signal, sizes = SIZES }) {
  const threads = new Threads(Math.max(1, navigator.hardwareConcurrency ?? 1));
  const stop = () => threads.end();
  signal.addEventListener('abort', stop);
  try {
    for (const polygons of sizes) {
      const row = await measure({ wasm, threads, scene, seed, polygons, withGpu, signal });
      yield row;
      if (Math.max(row.cpu.median, row.gpu?.median ?? 0) > ENOUGH) return;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    threads.end();
  }
}

async function measure({ wasm, threads, scene, seed, polygons, withGpu, signal }) {
  const pairs = await threads.prepare({ scene, count: polygons, seed });
  const gpu = withGpu ? await wasm.Contest.create(scene, polygons, seed, true) : null;
  try {
    const times = { cpu: [], gpu: [] };
    const stages = { cpu: [], gpu: [] };
    let relations = null;
    // The first run of each backend compiles and warms up. It is not counted.
    for (let run = -1; run < RUNS; run += 1) {
      signal.throwIfAborted();
      const found = { cpu: await threads.run(pairs), ...(gpu && { gpu: await timed(gpu, pairs) }) };
      for (const [backend, answer] of Object.entries(found)) {
        relations ??= answer.relations;
        compare(relations, answer.relations, polygons);
        if (run >= 0) {
          times[backend].push(answer.time);
          stages[backend].push(answer.stages);
        }
      }
      if (run >= 2 && found.cpu.time + (found.gpu?.time ?? 0) > ENOUGH) break;
    }
    const touching = relations.reduce((sum, relation) => sum + (relation === 1), 0);
    const overlapping = relations.reduce((sum, relation) => sum + (relation === 2), 0);
    const verified = pairs <= VERIFIED;
    if (verified) await verify({ wasm, gpu, scene, seed, polygons, touching, overlapping });
    return {
      polygons, pairs, touching, overlapping, verified,
      cpu: summary(times.cpu, stages.cpu),
      gpu: gpu && summary(times.gpu, stages.gpu),
    };
  } finally {
    gpu?.free();
  }
}

async function timed(contest, pairs) {
  const start = performance.now();
  const answer = await contest.run(0, pairs);
  return { time: performance.now() - start, relations: answer.relations, stages: answer };
}

function compare(a, b, polygons) {
  const wrong = a.length === b.length ? a.findIndex((relation, k) => relation !== b[k]) : Math.min(a.length, b.length);
  if (wrong >= 0) throw new WrongAnswer(`${polygons} polygons, pair ${wrong}`);
}

async function verify({ wasm, gpu, scene, seed, polygons, touching, overlapping }) {
  const judged = gpu ?? await wasm.Contest.create(scene, polygons, seed, false);
  const truth = await judged.verify();
  if (judged !== gpu) judged.free();
  if (truth.disagreeing !== 0 || truth.touching !== touching || truth.overlapping !== overlapping) {
    throw new WrongAnswer(`${polygons} polygons, ${truth.disagreeing} pairs by exact arithmetic`);
  }
}

function summary(times, stages) {
  const names = ['pack', 'upload', 'kernel', 'readback', 'exact'];
  return {
    median: median(times),
    least: Math.min(...times),
    greatest: Math.max(...times),
    stages: Object.fromEntries(names.map((name) => [name, median(stages.map((stage) => stage[name]))])),
  };
}

/**
 * The number of pairs from which the GPU is faster: 0 if it is faster at every size, Infinity if it is not faster at the largest size or
 * no row has its times. Between the two sizes around the last crossing, the ratio of the times is taken as a straight line in logarithms.
 */
export function breakEven(rows) {
  const points = rows.filter((row) => row.gpu).map((row) => [row.pairs, row.gpu.median / row.cpu.median]);
  if (points.length === 0 || points.at(-1)[1] >= 1) return Infinity;
  const below = points.findLastIndex(([, ratio]) => ratio >= 1);
  if (below < 0) return 0;
  const [[n, r], [m, s]] = [points[below], points[below + 1]];
  const share = Math.log(r) / (Math.log(r) - Math.log(s));
  return Math.exp(Math.log(n) + share * (Math.log(m) - Math.log(n)));
}
