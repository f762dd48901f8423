// The part "Simulation": plays a world of the library, and shows the contacts, boxes and pairs of its steps.

import { button, choice, element, slider, toggle } from '../controls.js';
import { listenForGestures, zoomTools } from '../gestures.js';
import { adviceOf } from '../messages.js';
import { copyLink } from '../share.js';
import { Adder } from '../simulation/adding.js';
import { Camera } from '../simulation/camera.js';
import { Hand } from '../simulation/hand.js';
import { Numbers } from '../simulation/numbers.js';
import { KINDS, Painter } from '../simulation/painter.js';
import { Player } from '../simulation/player.js';
import { stepOfWorld } from '../terms.js';

const SCENES = [
  ['pile', 'Pile: shapes that fall'],
  ['crowd', 'Crowd: two change places'],
  ['funnel', 'Funnel: grains in a throat'],
  ['hail', 'Hail: bullets between thin walls'],
  ['billiards', 'Billiards: nothing is lost'],
];
const COUNTS = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000];
/** The most bodies that the page offers on each backend. Not every machine can step this many bodies sixty times a second. */
const MOST = { webgpu: 500_000, cpu: 50_000 };
const PHONE = 600;
const SHOWN = [['contacts', 'Contacts'], ['normals', 'Normals'], ['boxes', 'Bounding boxes'], ['pairs', 'Candidate pairs']];
/** At most this many contacts, boxes or pairs are drawn, so that a picture does not take too long. If there are more, the page says so. */
const MOST_MARKS = 20_000;
/** The strength of gravity that the reader switches on in a scene without gravity. */
const GRAVITY = 10;
const SPEEDS = [['0.1', 'A tenth'], ['0.25', 'A quarter'], ['0.5', 'Half'], ['1', 'Normal'], ['2', 'Twice'], ['4', 'Four times']];
const WAYS = { down: [0, -1], up: [0, 1], left: [-1, 0], right: [1, 0], none: [0, 0] };

const grouped = (value) => value.toLocaleString('en').replaceAll(',', '\u202f');
const positive = (text, most) => (/^\d+$/.test(text ?? '') ? Math.min(most, Math.max(1, Number(text))) : null);

export default {
  id: 'simulation',
  title: 'Simulation',
  mount: (section, app) => new Part(section, app),
};

class Part {
  constructor(section, app) {
    this.section = section;
    this.app = app;
    // A software adapter, which runs shaders on the CPU, is slower than the kernel that is made for the CPU.
    const backend = app.gpu.available && !app.gpu.isSoftware ? 'webgpu' : 'cpu';
    const count = backend === 'cpu' && innerWidth < PHONE ? 1000 : 2000;
    this.settings = { scene: 'pile', count, seed: 1, backend };
    this.shown = new Set();
    this.gravity = null;
    this.selected = null;
    this.isLoaded = false;
    this.wants = !app.reducedMotion;
    this.#build();
    this.player = new Player(app.wasm, this.device, {
      draws: (simulation) => this.#draws(simulation),
      drawn: (simulation) => this.#drawn(simulation),
      isMarked: () => this.shown.size > 0,
      looked: (simulation) => this.#looked(simulation),
      changed: () => this.#playing(),
      failed: (error) => this.#failed(error),
    });
    this.hand = new Hand(this);
    listenForGestures(this.frame, this.paper, this.camera);
    this.#colours();
    app.onTheme(() => {
      this.#colours();
      this.player.redraw();
    });
    new ResizeObserver(() => {
      if (this.frame.clientWidth > 0 && this.player.simulation && !this.player.isRunning) this.player.redraw();
    }).observe(this.frame);
  }

  // The methods that app.js calls.

  show() {
    this.player.show();
    if (!this.isLoaded) this.#load();
  }

  hide() {
    this.player.hide();
  }

  state() {
    const { scene, count, seed, backend } = this.settings;
    const state = { scene, bodies: String(count), seed: String(seed), backend };
    if (this.gravity) state.gravity = this.gravity;
    if (this.player.speed !== 1) state.speed = String(this.player.speed);
    if (this.shown.size > 0) state.show = [...this.shown].join('.');
    return state;
  }

  restore(params) {
    const { settings } = this;
    const before = JSON.stringify([settings, this.gravity]);
    const scene = params.get('scene');
    if (SCENES.some(([name]) => name === scene)) settings.scene = scene;
    const backend = params.get('backend');
    if (backend === 'cpu' || (backend === 'webgpu' && this.app.gpu.available)) settings.backend = backend;
    settings.count = positive(params.get('bodies'), MOST[settings.backend]) ?? settings.count;
    settings.seed = positive(params.get('seed'), 2 ** 32 - 1) ?? settings.seed;
    const speed = params.get('speed') ?? '1';
    this.player.speed = SPEEDS.some(([name]) => name === speed) ? Number(speed) : 1;
    this.gravity = WAYS[params.get('gravity')] ? params.get('gravity') : null;
    this.shown = new Set((params.get('show') ?? '').split('.').filter((name) => SHOWN.some(([known]) => known === name)));
    this.#refresh();
    if (this.isLoaded && JSON.stringify([settings, this.gravity]) !== before) this.#load();
    else if (this.isLoaded) this.player.redraw();
  }

  // Building the page.

  #build() {
    const { app } = this;
    this.device = element('canvas', { class: 'sim-device', 'aria-hidden': 'true' });
    this.paper = element('canvas', {
      class: 'sim-paper', tabindex: '0', role: 'application', 'aria-describedby': 'sim-keys',
      'aria-label': 'The simulated bodies. Space plays and stops, the full stop takes one step, R reverses gravity, N chooses a body, arrows throw it.',
    });
    this.message = element('div', { class: 'sim-message', role: 'alert', hidden: true });
    this.frame = element('div', { class: 'view sim-view' }, this.device, this.paper, this.message);
    this.camera = new Camera(this.frame, { changed: () => this.#looksElsewhere(), pinching: () => this.hand.letGo() });
    this.frame.append(zoomTools(this.camera));
    this.frame.dataset.gpu = app.gpu.available && !app.gpu.isSoftware ? 'any' : 'none';
    this.playButton = button('Play', () => this.toggle(), { kind: 'primary sim-play' });
    this.reverseButton = button('Reverse gravity', () => this.reverse());
    const transport = element('div', { class: 'row sim-transport' },
      this.playButton,
      button('One step', () => this.one()),
      button('Restart', () => this.#restart()),
      this.reverseButton, ...copyLink(app));
    this.adder = new Adder(this, { added: (simulation) => this.#added(simulation) });
    this.cuts = element('p', { class: 'note', role: 'status' });
    const keys = element('p', { class: 'note', id: 'sim-keys' });
    keys.innerHTML = 'While the world is played, drag a body to pull it along. While it stands still, drag a body and let go: it flies along the arrow. '
      + 'With “Add at a tap”, a tap on the picture adds a body there. '
      + 'Two fingers, or <kbd>Ctrl</kbd> and the wheel, zoom; once zoomed, drag the ground. With the picture in focus: <kbd>Space</kbd> play and stop, '
      + '<kbd>.</kbd> one step, <kbd>R</kbd> reverse gravity, <kbd>N</kbd> choose a body, arrows throw it, <kbd>Esc</kbd> let go; '
      + 'with none chosen, arrows turn gravity.';
    this.sceneChoice = choice('Scene', SCENES, this.settings.scene, (scene) => this.#change({ scene }));
    this.countSlider = slider('Bodies that move', { min: 0, max: 1, step: 1, value: 0, show: () => grouped(this.settings.count) },
      (index) => this.#change({ count: COUNTS[index] }));
    const backends = [['cpu', 'CPU: WebAssembly']];
    if (app.gpu.available) backends.unshift(['webgpu', 'WebGPU']);
    this.speedChoice = choice('Speed of time', SPEEDS, '1', (speed) => {
      this.player.speed = Number(speed);
      app.saveState();
    });
    this.backendChoice = choice('Steps on', backends, this.settings.backend, (backend) => this.#change({ backend }));
    this.why = element('p', { class: 'note sim-why' });
    this.toggles = new Map(SHOWN.map(([name, label]) => [name, toggle(label, false, (on) => this.#show(name, on))]));
    for (const [name, { row }] of this.toggles) row.classList.add(`sim-shows-${name}`);
    this.numbers = new Numbers();
    this.section.append(
      element('div', { class: 'workbench' },
        element('div', { class: 'stack' },
          element('p', { class: 'lead' }, 'A world of the library, on the GPU or on the CPU. ', ...stepOfWorld(), ' Pull a body, or turn the world over.'),
          this.frame, transport, this.adder.row, this.cuts, keys),
        element('div', { class: 'stack' },
          element('div', { class: 'card' }, this.sceneChoice.row, this.countSlider.row, this.speedChoice.row, this.backendChoice.row, this.why),
          element('div', { class: 'card' }, element('h3', {}, 'Show'), ...[...this.toggles.values()].map(({ row }) => row)),
          this.numbers.card)));
    this.#refresh();
  }

  /** Shows the settings in the controls. */
  #refresh() {
    const { settings, countSlider } = this;
    this.sceneChoice.input.value = settings.scene;
    this.backendChoice.input.value = settings.backend;
    this.speedChoice.input.value = String(this.player?.speed ?? 1);
    settings.count = Math.min(settings.count, MOST[settings.backend]);
    countSlider.input.max = COUNTS.indexOf(MOST[settings.backend]);
    const distance = (count) => Math.abs(Math.log(count / settings.count));
    const nearest = COUNTS.reduce((best, count) => (distance(count) < distance(best) ? count : best));
    countSlider.set(COUNTS.indexOf(nearest));
    for (const [name, { input }] of this.toggles) input.checked = this.shown.has(name);
    this.why.textContent = this.#whyBackend();
  }

  #whyBackend() {
    const { available, description, reason, isSoftware } = this.app.gpu;
    if (this.settings.backend === 'webgpu') {
      return `On WebGPU (${description}): the bodies stay on the device, which steps and draws them.`;
    }
    const because = !available ? `since ${reason}`
      : isSoftware ? `since the adapter (${description}) is a program that plays a GPU, and slower` : 'as chosen';
    return `On the CPU, ${because}: the same library, one thread of WebAssembly, and a 2D canvas.`;
  }

  #colours() {
    const style = getComputedStyle(this.section);
    const read = (name) => style.getPropertyValue(`--sim-${name}`).trim();
    const names = [...KINDS, 'outline', 'selected', 'background', 'contact', 'normal', 'box', 'pair'];
    this.painter ??= new Painter(this.paper, this.app.gpu.isSoftware);
    this.painter.colours = Object.fromEntries(names.map((name) => [name, read(name)]));
    this.palette = new Float32Array([...KINDS, 'outline', 'selected', 'background'].flatMap((name) => rgba(read(name))));
  }

  // Loading and playing.

  #change(change) {
    if (change.scene) this.gravity = null;
    Object.assign(this.settings, change);
    this.#refresh();
    this.app.saveState();
    clearTimeout(this.soon);
    // A slider reports many values while it moves, so loading waits until the slider rests.
    this.soon = setTimeout(() => this.#load(), 'count' in change ? 250 : 0);
  }

  async #load() {
    this.isLoaded = true;
    const { settings, player, section } = this;
    const load = (this.loading = { ...settings });
    section.dataset.loading = '';
    this.message.hidden = true;
    this.select(null);
    if (!(await player.load(load, load.backend)) || this.loading !== load) return;
    this.frame.dataset.backend = load.backend;
    await player.do((simulation) => {
      this.bounds = simulation.bounds();
      this.camera.show(this.bounds);
      const [left, bottom, right, top] = this.bounds;
      this.frame.style.setProperty('--sim-aspect', (right - left) / (top - bottom));
      this.own = simulation.gravity();
      this.adder.load(simulation);
      this.#figures(simulation);
      if (this.gravity) simulation.setGravity(...this.#gravityOf(this.gravity));
    });
    this.#gravityChanged();
    await player.redraw();
    section.dataset.backend = load.backend;
    section.dataset.bodies = player.bodies;
    delete section.dataset.loading;
    this.app.announce(`${load.scene}, ${grouped(load.count)} bodies, on ${load.backend === 'webgpu' ? 'WebGPU' : 'the CPU'}`);
    if (this.wants && player.simulation && !player.isRunning) player.play();
    this.#playing();
  }

  /** Reads which bodies there are. */
  #figures(simulation) {
    this.dynamic = dynamicSlots(simulation);
    this.painter.load(simulation);
  }

  /** Called after a body was added: shows it and the new number of bodies. */
  #added(simulation) {
    this.#figures(simulation);
    this.section.dataset.bodies = this.player.bodies = simulation.bodyCount();
    this.numbers.show(this.player);
    if (!this.player.isRunning) this.player.redraw();
  }

  #restart() {
    this.gravity = null;
    this.app.saveState();
    this.#load();
  }

  toggle() {
    this.wants = !this.player.isRunning;
    if (this.wants && !this.player.simulation) this.#load();
    else if (this.wants) this.player.play();
    else this.player.stop();
    this.app.announce(this.wants ? 'playing' : 'stopped');
  }

  one() {
    this.wants = false;
    if (this.player.isRunning) this.player.stop();
    this.player.one();
  }

  // Gravity.

  #gravityOf(way) {
    const strength = Math.hypot(...this.own) || GRAVITY;
    return WAYS[way].map((x) => x * strength);
  }

  /** The name of the current direction of gravity, a key of `WAYS`. */
  get way() {
    if (this.gravity) return this.gravity;
    const [x, y] = this.own ?? [0, 0];
    return Object.keys(WAYS).find((way) => WAYS[way][0] === Math.sign(x) && WAYS[way][1] === Math.sign(y)) ?? 'none';
  }

  turn(way) {
    this.gravity = way;
    this.player.do((simulation) => simulation.setGravity(...this.#gravityOf(way)));
    this.#gravityChanged();
    this.app.saveState();
    this.app.announce(`gravity ${way}`);
  }

  reverse() {
    const opposite = { down: 'up', up: 'down', left: 'right', right: 'left' }[this.way];
    if (opposite) this.turn(opposite);
  }

  #gravityChanged() {
    const { way } = this;
    this.section.dataset.gravity = way;
    this.reverseButton.disabled = way === 'none';
    this.reverseButton.title = way === 'none' ? 'This scene has no gravity; arrow keys on the picture give it some.' : `Gravity goes ${way}.`;
    const arrow = { down: '↓', up: '↑', left: '←', right: '→', none: '·' }[way];
    this.reverseButton.replaceChildren(element('span', { 'aria-hidden': 'true', class: 'sim-arrow' }, arrow), ' Reverse gravity');
  }

  // The picture.

  /** Called when the camera has moved. The next step shows the new view; if the world is not playing, draws it now. */
  #looksElsewhere() {
    const { player } = this;
    this.section.dataset.zoom = this.camera.zoom;
    this.section.dataset.centre = this.camera.centre.join(',');
    this.isStale = true;
    if (player.isRunning || this.isLooking) return;
    this.isLooking = true;
    const look = async () => {
      while (this.isStale) {
        this.isStale = false;
        await player.redraw();
      }
      this.isLooking = false;
    };
    look();
  }

  /** Tells the simulation which part of the world to draw. Called before each picture, because a canvas that changes its size is blank. */
  #draws(simulation) {
    const { width, height, density, scale, centre } = this.camera.view;
    simulation.setPalette(this.palette);
    simulation.look(Math.round(width * density), Math.round(height * density), scale * density, ...centre);
  }

  async #drawn(simulation) {
    const { painter, shown } = this;
    await this.hand.pull(simulation);
    const { view } = this.camera;
    const found = {};
    if (shown.has('contacts') || shown.has('normals')) found.contacts = await simulation.contacts(MOST_MARKS);
    if (shown.has('boxes')) found.boxes = await simulation.boxes(MOST_MARKS);
    if (shown.has('pairs')) found.pairs = await simulation.pairs(MOST_MARKS);
    if (this.player.backend === 'cpu' || shown.size > 0 || this.hand.isHolding) {
      painter.begin(view);
      if (this.player.backend === 'cpu') painter.bodies(simulation, this.selected);
      if (found.boxes) painter.boxes(found.boxes);
      if (found.pairs) painter.pairs(found.pairs);
      if (found.contacts) painter.contacts(found.contacts, { points: shown.has('contacts'), normals: shown.has('normals') });
      this.hand.draw(painter.context, view, painter.colours);
    } else {
      painter.wipe();
    }
    this.#cut(found);
    this.section.dataset.step = this.player.step;
  }

  #cut(found) {
    const words = { contacts: 'contacts', boxes: 'boxes', pairs: 'candidate pairs' };
    const cut = Object.entries(found).filter(([, { total }]) => total > MOST_MARKS);
    const text = cut.map(([name, { total }]) => `${grouped(MOST_MARKS)} of ${grouped(total)} ${words[name]}`).join(', ');
    const sentence = text ? `Of what is switched on, only the first are drawn: ${text}.` : '';
    if (this.cuts.textContent !== sentence) this.cuts.textContent = sentence;
  }

  #show(name, on) {
    if (on) this.shown.add(name);
    else this.shown.delete(name);
    this.app.saveState();
    if (!this.player.isRunning) this.player.redraw();
  }

  async #looked(simulation) {
    const chosen = this.selected === null ? null : await simulation.body(this.selected);
    if (chosen) this.section.dataset.at = this.camera.view.toScreen(chosen).map(Math.round).join(',');
    else delete this.section.dataset.at;
    this.numbers.choose(this.selected, chosen);
    this.section.dataset.height = this.player.height;
    this.section.dataset.step = this.player.step;
    this.section.dataset.rate = this.player.rate;
    this.numbers.show(this.player);
  }

  #playing() {
    const { isRunning } = this.player;
    this.section.dataset.running = String(isRunning);
    this.playButton.textContent = isRunning ? 'Stop' : 'Play';
    this.numbers.show(this.player);
  }

  /** Highlights the body in a slot, or none if it is null. */
  select(slot) {
    this.selected = slot;
    if (slot === null) delete this.section.dataset.selected;
    else this.section.dataset.selected = slot;
    return this.player.do((simulation) => simulation.select(slot ?? undefined));
  }

  #failed(error) {
    const text = adviceOf(error);
    const { section, message } = this;
    delete section.dataset.loading;
    section.dataset.failed = text;
    const onDevice = this.settings.backend === 'webgpu';
    const again = (backend) => () => {
      delete section.dataset.failed;
      this.settings.backend = backend;
      this.#refresh();
      this.app.saveState();
      this.#load();
    };
    message.replaceChildren(
      element('p', {}, text),
      element('div', { class: 'row' },
        onDevice ? button('Go on with the CPU', again('cpu'), { kind: 'primary' }) : '',
        button('Start again', again(this.settings.backend))));
    message.hidden = false;
    this.#playing();
  }
}

/** The slots of the bodies that move, in ascending order. */
function dynamicSlots(simulation) {
  const rows = simulation.figures();
  const slots = [];
  for (let k = 0; k < rows.length; k += 3) if (rows[k + 2] !== KINDS.indexOf('static')) slots.push(rows[k]);
  return slots.sort((a, b) => a - b);
}

/** Red, green, blue and alpha, from 0 to 1, of a colour written as #rrggbb or #rrggbbaa. */
function rgba(colour) {
  const part = (k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16) / 255;
  return [part(0), part(1), part(2), colour.length > 7 ? part(3) : 1];
}
