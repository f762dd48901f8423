// Plays a world: one step per picture, or several if time runs faster. Only one call to the simulation runs at a time. On a
// device, a picture is submitted while the device works on the previous one, but never a second one.

/** Milliseconds between two updates of numbers that are slow to get: mean height, times of stages, pictures per second. */
const LOOK_INTERVAL = 1000;
/** A picture may come this much too early, in milliseconds, because the frames of a screen do not come at exact intervals. */
const EARLY = 4;

/**
 * `listeners` has: `draws(simulation)`, called before each picture to set what it shows; `drawn(simulation)`, called after it to draw over
 * it, which may return a promise; `isMarked()`, whether `drawn` marks where bodies are, so that picture and marks must be of the same
 * step; `looked(simulation)`, called about once a second while playing, and after each step by hand, redraw and stop; `changed()`, called
 * when playing begins or ends; and `failed(error)`.
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
    /** How many seconds of the world pass per second, if the machine is fast enough. */
    this.speed = 1;
  }

  #turn = Promise.resolve();
  #request = 0;
  #busy = false;
  #lastFrame = 0;
  #lastLook = 0;
  #frames = 0;

  /** Calls `work(simulation)` when all earlier calls are done. Does nothing if there is no simulation or it has failed. */
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

  /** Loads a scene on the backend 'webgpu' or 'cpu'. Resolves to whether that worked. */
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
        // These values are read here, because the simulation must not be called while another call is running.
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

  /** Stops playing, after finishing the step that was begun. */
  stop() {
    this.isRunning = false;
    cancelAnimationFrame(this.#request);
    this.#request = 0;
    this.listeners.changed();
    return this.do(async (simulation) => {
      // With pace `ahead`, the last step has not been drawn yet.
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

  /** Takes one step. */
  one() {
    return this.do(async (simulation) => {
      await this.#frame(simulation, 1, 'timed');
      await this.#look(simulation);
    });
  }

  /** Draws the current state again, with the marks over it, and updates the numbers. */
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
      // The player may have been stopped or hidden in the meantime.
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

  /** Takes `steps` steps and draws a picture, in the order that `pace` names: see `Pace` in web/src/simulation/stage.rs. */
  async #frame(simulation, steps, pace) {
    this.listeners.draws(simulation);
    const report = await simulation.frame(steps, pace);
    this.step = report.step;
    const isTimed = steps > 0 && (pace === 'timed' || this.backend === 'cpu');
    // On the CPU, a call without a step reports no numbers.
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
