// One thread of the CPU backend: decides the ranges of pairs that `Threads` asks for.

import init, { Contest } from '../wasm/sat2d_web.js';

let contest = null;

const jobs = {
  async prepare({ scene, count, seed }) {
    contest?.free();
    contest = await Contest.create(scene, count, seed, false);
    return { pairs: contest.pairCount };
  },
  async run({ begin, end }) {
    return contest.run(begin, end);
  },
};

const ready = init();

self.onmessage = async ({ data: { id, job, given } }) => {
  try {
    await ready;
    const answer = await jobs[job](given);
    self.postMessage({ id, answer }, answer.relations ? [answer.relations.buffer] : []);
  } catch (error) {
    self.postMessage({ id, error: String(error?.message ?? error), code: error?.code });
  }
};
