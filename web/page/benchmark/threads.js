// Runs the CPU backend on all threads of the machine. WebAssembly in a page has one thread, so several workers share the pairs.

class Thread {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  #waiting = new Map();
  #next = 0;

  constructor() {
    this.#worker.onmessage = ({ data: { id, answer, error, code } }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) reject(Object.assign(new Error(error), { code }));
      else resolve(answer);
    };
    this.#worker.onerror = (event) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(event.message || 'a worker did not start'));
      this.#waiting.clear();
    };
  }

  ask(job, given) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, job, given });
    });
  }

  end() {
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error('stopped'));
    this.#waiting.clear();
  }
}

export class Threads {
  #threads;

  /** @param {number} count the number of threads, at least 1 */
  constructor(count) {
    this.#threads = Array.from({ length: count }, () => new Thread());
  }

  get count() {
    return this.#threads.length;
  }

  /** Makes the same scene on each thread. Resolves to the number of its candidate pairs. */
  async prepare(scene) {
    const answers = await Promise.all(this.#threads.map((thread) => thread.ask('prepare', scene)));
    return answers[0].pairs;
  }

  /** Decides all pairs once. Resolves to `{ time, relations, stages }`, times in milliseconds. */
  async run(pairs) {
    const share = Math.ceil(pairs / this.count);
    const start = performance.now();
    const parts = await Promise.all(this.#threads.map((thread, k) =>
      thread.ask('run', { begin: k * share, end: Math.min((k + 1) * share, pairs) })));
    const time = performance.now() - start;
    const relations = new Uint8Array(pairs);
    parts.forEach((part, k) => relations.set(part.relations, Math.min(k * share, pairs)));
    return { time, relations, stages: longest(parts) };
  }

  end() {
    this.#threads.forEach((thread) => thread.end());
  }
}

/** The longest time of each stage over all threads, which ran side by side. */
function longest(parts) {
  const stages = ['pack', 'upload', 'kernel', 'readback', 'exact'];
  return Object.fromEntries(stages.map((stage) => [stage, Math.max(...parts.map((part) => part[stage]))]));
}
