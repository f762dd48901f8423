// Plays a world: one call to it at a time, one step a picture, or several where time runs faster. On a device a picture is queued while it works on the one before, and
// none before that is done.

/** Milliseconds between two looks at what takes its time: mean height, stages, pictures a second. */
const LOOK_INTERVAL = 1000;
/** A picture comes at most this much too early, in milliseconds: screens are not exact. */
const EARLY = 4;

/**
 * `listeners`: `draws(simulation)` before each picture, to say what it shows; `drawn(simulation)` after it, to draw over it, may return
 * a promise; `isMarked()` whether that shows where bodies are now; `looked(simulation)` once a second and after each step that was
 * asked for; `changed()` where playing begins or ends; `failed(error)`.
 */
export class Player {
  constructor(wasm, canvas, listeners) {
    this.wasm = wasm;
    this.canvas = canvas;
    this.listeners = listeners;
    this.simulation = null;
    this.backend = 'cpu';
    this.isRunning = false;
    this.isVisible = false;
    this.step = 0;
    this.height = NaN;
    this.dt = NaN;
    this.bodies = 0;
    this.report = null;
    this.rate = 0;
    /** Seconds of the world in a second of the reader, where the machine is fast enough. */
    this.speed = 1;
  }

  #turn = Promise.resolve();
  #request = 0;
  #busy = false;
  #lastFrame = 0;
  #lastLook = 0;
  #frames = 0;

  /** Calls `work(simulation)` when all calls before are done; not where there is none, or it failed. */
  do(work) {
    this.#turn = this.#turn.then(async () => {
      if (!this.simulation) return undefined;
      try {
        return await work(this.simulation);
      } catch (error) {
        this.#fail(error);
        return undefined;
      }
    });
    return this.#turn;
  }

  /** Loads a scene: `{ scene, count, seed }`, on 'webgpu' or 'cpu'. Resolves to whether it is there. */
  load({ scene, count, seed }, backend) {
    this.#turn = this.#turn.then(async () => {
      try {
        if (this.simulation && backend === this.backend) {
          await this.simulation.play(scene, count, seed);
        } else {
          this.simulation?.free();
          this.simulation = null;
          const { Simulation } = this.wasm;
          this.simulation = backend === 'webgpu'
            ? await Simulation.onDevice(this.canvas, scene, count, seed)
            : Simulation.onCpu(scene, count, seed);
          this.backend = backend;
        }
        // Asked now: while a call is under way, no other may ask.
        this.dt = this.simulation.dt();
        this.bodies = this.simulation.bodyCount();
        this.step = 0;
        this.report = null;
        this.#restartClock();
        return true;
      } catch (error) {
        this.#fail(error);
        return false;
      }
    });
    return this.#turn;
  }

  play() {
    this.isRunning = true;
    this.#restartClock();
    this.listeners.changed();
    this.#schedule();
  }

  /** Stops; what was begun is finished. */
  stop() {
    this.isRunning = false;
    cancelAnimationFrame(this.#request);
    this.#request = 0;
    this.listeners.changed();
    return this.do(async (simulation) => {
      // The last step, which is not shown yet.
      await this.#frame(simulation, 0, 'timed');
      await this.#look(simulation);
    });
  }

  show() {
    this.isVisible = true;
    this.#restartClock();
    this.#schedule();
  }

  hide() {
    this.isVisible = false;
    cancelAnimationFrame(this.#request);
    this.#request = 0;
  }

  /** One step, by hand. */
  one() {
    return this.do(async (simulation) => {
      await this.#frame(simulation, 1, 'timed');
      await this.#look(simulation);
    });
  }

  /** A picture of what is, with what is drawn over it; and its numbers. */
  redraw() {
    return this.do(async (simulation) => {
      await this.#frame(simulation, 0, 'whole');
      await this.#look(simulation);
    });
  }

  #restartClock() {
    this.#frames = 0;
    this.#lastLook = performance.now();
  }

  #schedule() {
    if (this.isRunning && this.isVisible) this.#request ||= requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    this.#request = 0;
    this.#schedule();
    if (this.#busy || !this.simulation || now - this.#lastFrame < (1000 * this.dt) / Math.min(1, this.speed) - EARLY) return;
    this.#lastFrame = now;
    this.#busy = true;
    this.do(async (simulation) => {
      // It may have been stopped since.
      if (!this.isRunning || !this.isVisible) return;
      const looks = performance.now() - this.#lastLook > LOOK_INTERVAL;
      await this.#frame(simulation, Math.max(1, Math.round(this.speed)), looks ? 'timed' : this.listeners.isMarked() ? 'whole' : 'ahead');
      this.#frames += 1;
      if (looks) {
        const now = performance.now();
        this.rate = (1000 * this.#frames) / (now - this.#lastLook);
        this.#restartClock();
        await this.#look(simulation);
      }
    }).then(() => (this.#busy = false));
  }

  /** A picture by its `pace`: see `Pace` of the module. */
  async #frame(simulation, steps, pace) {
    this.listeners.draws(simulation);
    const report = await simulation.frame(steps, pace);
    this.step = report.step;
    const isTimed = steps > 0 && (pace === 'timed' || this.backend === 'cpu');
    // On the CPU a call without a step has nothing to tell.
    if (steps > 0 || (this.report && this.backend === 'webgpu')) {
      this.report = { ...report, times: isTimed ? report.times : this.report?.times };
    }
    await this.listeners.drawn(simulation);
  }

  async #look(simulation) {
    this.height = await simulation.meanHeight();
    await this.listeners.looked(simulation);
  }

  #fail(error) {
    this.isRunning = false;
    cancelAnimationFrame(this.#request);
    this.#request = 0;
    this.simulation?.free();
    this.simulation = null;
    this.listeners.failed(error);
  }
}
