// The part "Lesson": steps and challenges, one after another, beside one picture. A "stop" is a step or a challenge.

import { button, element } from '../controls.js';
import { challenges } from '../lesson/challenges.js';
import { Stage } from '../lesson/stage.js';
import { steps } from '../lesson/steps.js';
import { Verdict } from '../table.js';

const stops = [...steps, ...challenges];
const isStep = (stop) => steps.includes(stop);

/** What the address holds of a stop, apart from the list of finished stops. */
function stateOf({ id }, shownCase) {
  if (id === 'cases') return { case: shownCase };
  return steps.some((step) => step.id === id) ? { step: id } : { challenge: id };
}

class LessonPart {
  #refreshActivity = null;
  /** Whether the reader chose another stop on the page, so that its title gets the focus. */
  #focusNext = false;
  /** Whether the gesture that is under way has already finished the task. */
  #justDone = false;

  constructor(section, app) {
    Object.assign(this, { section, app, done: new Set(), case: 'inside', stop: null });
    this.#build();
    this.#open(stops[0]);
  }

  #build() {
    this.kicker = element('p', { class: 'note' });
    this.title = element('h3', { tabindex: -1 });
    this.text = element('div', { class: 'lesson-words' });
    this.tick = element('span', { class: 'lesson-tick', 'aria-hidden': 'true' });
    this.task = element('span');
    this.taskRow = element('p', { class: 'lesson-task' }, this.tick, this.task);
    this.how = element('p', { class: 'note' });
    this.insight = element('p', { class: 'lesson-insight' });
    this.activity = element('div', { class: 'lesson-activity' });
    this.below = element('div', { class: 'lesson-below' });
    const head = element('div', { class: 'lesson-head' }, this.title, this.kicker);
    const card = element('div', { class: 'card lesson-card' }, head, this.text, this.taskRow, this.how, this.insight, this.activity);
    this.verdict = new Verdict(card);
    card.append(this.below);
    const picture = element('div', { class: 'lesson-picture' });
    this.back = button('Back', () => this.#go(-1));
    this.next = button('Next', () => this.#go(1));
    const ways = element('div', { class: 'row nowrap lesson-ways' }, this.back, button('Again', () => this.#open(this.stop), { title: 'Starts this step again' }), this.next);
    this.section.append(element('div', { class: 'lesson' }, card, picture, ways, this.#list()));
    this.stage = new Stage(picture, this.app, { changed: () => this.#changed(), released: () => this.#released() });
  }

  /** Makes the list of stops, with a tick at each finished one. */
  #list() {
    this.links = stops.map((stop) => {
      const tick = element('span', { class: 'lesson-tick', 'aria-hidden': 'true' });
      const state = element('span', { class: 'visually-hidden' });
      const link = element('a', { onclick: () => (this.#focusNext = true) }, tick, isStep(stop) ? `${stop.id}. ${stop.title}` : stop.title, state);
      return { stop, link, tick, state };
    });
    const items = (chosen) => this.links.filter(({ stop }) => chosen(stop)).map(({ link }) => element('li', {}, link));
    return element('nav', { class: 'card lesson-list', 'aria-label': 'Steps of the lesson' },
      element('h3', {}, 'Steps'), element('ol', {}, ...items(isStep)),
      element('h3', {}, 'Then'), element('ul', {}, ...items((stop) => !isStep(stop))),
      button('Clear the ticks', () => this.#clear()));
  }

  #open(stop) {
    this.stop = stop;
    this.section.dataset.stop = stop.id;
    const index = steps.indexOf(stop);
    this.kicker.textContent = index >= 0 ? `Step ${index + 1} of ${steps.length}` : stop.id === 'cases' ? 'To look at' : 'Challenge';
    this.title.textContent = stop.title;
    this.text.replaceChildren(...stop.text().map((nodes) => element('p', {}, ...nodes)));
    this.taskRow.hidden = !stop.task;
    this.task.textContent = stop.task ?? '';
    this.how.textContent = stop.how ?? '';
    this.#explain(this.done.has(stop.id) ? (stop.insight ?? '') : '');
    this.stage.load({ ...stop, draws: { ...stop.draws } });
    this.#refreshActivity = null;
    this.refresh();
    const made = stop.activity?.(this);
    this.#refreshActivity = made?.refresh ?? null;
    this.activity.replaceChildren(...(made?.element ? [made.element] : []));
    this.below.replaceChildren(...(made?.below ? [made.below] : []));
    this.#mark();
    this.app.saveState();
  }

  /** Shows the insight of a finished step instead of the instructions, so that it is in view on a small screen. */
  #explain(insight) {
    this.insight.textContent = insight;
    this.how.hidden = insight !== '' || !this.stop.how;
  }

  /** Shows which stops are finished, at the task and in the list. */
  #mark() {
    const { stop, done } = this;
    const isDone = done.has(stop.id);
    this.section.dataset.done = String(isDone);
    this.tick.textContent = isDone ? '✓' : '☐';
    this.back.disabled = stop === stops[0];
    this.next.disabled = stop === stops.at(-1);
    this.next.classList.toggle('primary', isDone);
    for (const { stop: other, link, tick, state } of this.links) {
      link.href = `#lesson?${new URLSearchParams(this.#stateOf(other))}`;
      tick.textContent = done.has(other.id) ? '✓' : '';
      state.textContent = done.has(other.id) ? ', done' : '';
      if (other === stop) link.setAttribute('aria-current', 'step');
      else link.removeAttribute('aria-current');
    }
  }

  /** Shows what the library says about the picture. */
  refresh() {
    if (this.stop.say) this.say(this.stop.say(this.stage));
  }

  say(words) {
    this.verdict.say(words);
  }

  announce(text) {
    this.app.announce(text);
  }

  #changed() {
    this.refresh();
    this.#refreshActivity?.();
    // Turning an axis finishes the task at once. Moving a polygon finishes it only when the reader lets go of the polygon.
    if (this.stop.dial && this.#complete()) this.#justDone = true;
  }

  #released() {
    const isSaid = this.#justDone || this.#complete();
    this.#justDone = false;
    if (isSaid) return;
    this.announce(`${this.verdict.word.textContent}. ${this.verdict.why.textContent}`);
  }

  /** Marks the task as finished if it is and was not before. Returns whether it did. */
  #complete() {
    if (this.done.has(this.stop.id) || !this.stop.isDone?.(this.stage)) return false;
    this.complete(this.stop.insight);
    return true;
  }

  /** Marks the task of the stop as finished and shows `insight`, what it teaches. */
  complete(insight) {
    this.done.add(this.stop.id);
    this.#explain(insight);
    this.#mark();
    this.announce(`Done. ${insight}`);
    this.app.saveState();
  }

  #go(way) {
    const to = stops[stops.indexOf(this.stop) + way];
    this.#focusNext = true;
    location.hash = `lesson?${new URLSearchParams(this.#stateOf(to))}`;
  }

  #clear() {
    this.done.clear();
    this.#open(this.stop);
  }

  #stateOf(stop) {
    const done = [...this.done].join('_');
    return { ...stateOf(stop, this.case), ...(done ? { done } : {}) };
  }

  show() {
    this.stage.view.redraw();
  }

  hide() {}

  state() {
    return this.#stateOf(this.stop);
  }

  restore(params) {
    for (const id of (params.get('done') ?? '').split('_')) if (stops.some((stop) => stop.id === id && stop.task)) this.done.add(id);
    if (params.has('case')) this.case = params.get('case');
    const id = params.has('case') ? 'cases' : (params.get('challenge') ?? params.get('step'));
    this.#open(stops.find((stop) => stop.id === id) ?? stops[0]);
    if (!this.#focusNext) return;
    this.#focusNext = false;
    this.title.focus({ preventScroll: true });
    if (this.section.getBoundingClientRect().top < 0) this.section.scrollIntoView();
  }
}

export default {
  id: 'lesson',
  title: 'Lesson',
  mount: (section, app) => new LessonPart(section, app),
};
