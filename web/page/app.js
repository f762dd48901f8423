// Loads the library, says what it runs on, and shows one part of the page at a time.

import benchmark from './parts/benchmark.js';
import lesson from './parts/lesson.js';
import pair from './parts/pair.js';
import point from './parts/point.js';
import simulation from './parts/simulation.js';
import sweep from './parts/sweep.js';
import { element } from './controls.js';
import { keepPage } from './offline.js';
import { showMore } from './tabs.js';

const parts = [lesson, point, pair, sweep, simulation, benchmark];
const first = pair.id;
/** Milliseconds between two changes of the address: browsers refuse more than a few changes per second. */
const ADDRESS_INTERVAL = 300;

const root = document.documentElement;
const byId = (id) => document.getElementById(id);

/** Matches the names of software adapters. Not every browser marks such an adapter with `isFallbackAdapter`. */
const SOFTWARE = /swiftshader|llvmpipe|basic render/i;

/**
 * Finds out whether this browser has a WebGPU adapter: `{ available, description, reason, isSoftware }`. `description` is the name of the
 * adapter; `reason` says why there is none.
 */
async function findGpu() {
  if (!navigator.gpu) return { available: false, description: '', reason: 'this browser offers no WebGPU' };
  try {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) return { available: false, description: '', reason: 'this browser offers no WebGPU adapter' };
    const { vendor, architecture, device, description } = adapter.info ?? {};
    const name = description || [vendor, architecture || device].filter(Boolean).join(' ') || 'an adapter without a name';
    const isSoftware = adapter.info?.isFallbackAdapter === true || SOFTWARE.test(name);
    return { available: true, description: name, reason: '', isSoftware };
  } catch (error) {
    return { available: false, description: '', reason: `WebGPU failed: ${error.message}` };
  }
}

/** The colours of the style sheet that the pictures use, by name, as in `app.colours().apart`. */
function coloursOf(style) {
  const names = ['paper', 'card', 'ink', 'quiet', 'line', 'grid', 'a', 'b', 'apart', 'meets', 'accent', 'mark'];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

function themes() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const listeners = new Set();
  let found = null;
  dark.addEventListener('change', () => {
    found = null;
    for (const listener of listeners) listener();
  });
  return {
    colours: () => (found ??= coloursOf(getComputedStyle(root))),
    onTheme: (listener) => listeners.add(listener),
  };
}

/** The address says which part is shown, and in which state: `#pair?a=...`. */
function readAddress() {
  const [id, query = ''] = location.hash.slice(1).split('?');
  return { id, params: new URLSearchParams(query) };
}

function start(wasm, gpu) {
  const motion = matchMedia('(prefers-reduced-motion: reduce)');
  const shown = { part: null };
  const mounted = new Map();
  let saving = 0;
  /** The fragment of the address that the page has read or written. */
  let known = '';

  const address = () => {
    const state = shown.part.controller.state();
    const query = new URLSearchParams(Object.entries(state)).toString();
    return `#${shown.part.id}${query ? `?${query}` : ''}`;
  };
  const save = () => {
    saving = 0;
    // An unknown fragment means that the address has just changed and `hashchange` has not run yet. The fragment must not be
    // overwritten before it is read.
    if (!shown.part || location.hash !== known) return;
    history.replaceState(null, '', address());
    known = location.hash;
  };
  const app = {
    wasm,
    gpu,
    /** Writes the state of the shown part to the address, after at most `ADDRESS_INTERVAL`. */
    saveState() {
      saving ||= setTimeout(save, ADDRESS_INTERVAL);
    },
    /** The address of this page with the state of the shown part. */
    link: () => new URL(address(), location.href).href,
    /** Makes a screen reader announce a sentence. */
    announce(text) {
      const region = byId('announcements');
      if (region.textContent !== text) region.textContent = text;
    },
    get reducedMotion() {
      return motion.matches;
    },
    ...themes(),
  };

  const mount = (part) => {
    // Hidden from view, because the chosen tab already shows the name.
    const heading = element('h2', { id: `${part.id}-title`, class: 'visually-hidden' }, part.title);
    const section = element('section', { id: `part-${part.id}`, class: 'part', 'aria-labelledby': heading.id }, heading);
    section.dataset.part = part.id;
    byId('content').append(section);
    const entry = { id: part.id, section, controller: part.mount(section, app) };
    mounted.set(part.id, entry);
    return entry;
  };
  const show = () => {
    known = location.hash;
    const { id, params } = readAddress();
    const part = parts.find((candidate) => candidate.id === id) ?? parts.find((candidate) => candidate.id === first);
    const entry = mounted.get(part.id) ?? mount(part);
    if (shown.part && shown.part !== entry) {
      shown.part.controller.hide();
      shown.part.section.hidden = true;
    }
    const isNew = shown.part !== entry;
    shown.part = entry;
    entry.section.hidden = false;
    if ([...params].length > 0) entry.controller.restore(params);
    if (isNew) entry.controller.show();
    for (const link of byId('navigation').querySelectorAll('a')) {
      if (link.dataset.id !== part.id) {
        link.removeAttribute('aria-current');
        continue;
      }
      link.setAttribute('aria-current', 'page');
      // On a narrow screen, the list scrolls sideways. Scrolls the chosen tab to the middle of the list.
      const list = byId('navigation');
      list.scrollLeft = link.offsetLeft - list.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
    }
    document.title = `${part.title} · sat2d`;
    app.saveState();
  };
  addEventListener('hashchange', () => {
    // `#content` is the link that skips the navigation: it names no part.
    if (location.hash !== '#content') show();
    else known = location.hash;
  });
  show();
}

for (const part of parts) {
  const link = element('a', { href: `#${part.id}` }, part.title);
  link.dataset.id = part.id;
  byId('navigation').append(element('li', {}, link));
}
showMore(byId('parts'), byId('navigation'));

try {
  const wasm = await import('./wasm/sat2d_web.js');
  const [, gpu] = await Promise.all([wasm.default(), findGpu()]);
  root.dataset.gpu = gpu.available ? gpu.description : 'none';
  byId('backend').textContent = gpu.available ? `WebGPU: ${gpu.description}` : `CPU: ${gpu.reason}`;
  byId('backend').title = byId('backend').textContent;
  byId('backend').dataset.kind = gpu.available ? 'gpu' : 'cpu';
  byId('backend-note').textContent = gpu.available
    ? `${gpu.isSoftware ? 'Software adapter' : 'GPU'}: ${gpu.description}. The explorers run on the CPU kernel; simulation and benchmark can use WebGPU.`
    : `Everything runs on the CPU kernel: ${gpu.reason}.`;
  byId('version').textContent = wasm.version();
  start(wasm, gpu);
  byId('status').remove();
  root.dataset.ready = Math.round(performance.now());
  if (await keepPage()) {
    root.dataset.kept = '';
    byId('kept').textContent = 'This browser keeps the page: it also opens without a network.';
  }
} catch (error) {
  console.error(error);
  window.pageFailed(typeof WebAssembly === 'undefined'
    ? 'This browser has no WebAssembly, or it is switched off. Switch it on, or use another browser.'
    : 'A file of the page did not arrive, or the browser is too old. Check the network and reload the page, or use another browser.');
}
