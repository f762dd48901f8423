// Offers the classic cases as buttons. The chosen case has a text and a link to the part "Two polygons".

import { button, element } from '../controls.js';
import { cases, pairLink } from './cases.js';

export function caseCards(lesson) {
  const { stage } = lesson;
  const text = element('p');
  const link = element('a', {}, 'Open in “Two polygons”');
  const buttons = cases.map((one) => ({ one, press: button(one.title, () => choose(one), { pressed: false }) }));

  function choose(one) {
    lesson.case = one.id;
    lesson.app.saveState();
    for (const { one: other, press } of buttons) press.setAttribute('aria-pressed', String(other === one));
    stage.load({ scene: one.scene, label: `${one.title}: two polygons, with every axis and both projections on it`, moves: 'ab', draws: { axes: 'all' } });
    text.textContent = one.text;
    link.href = pairLink(one.scene);
    lesson.refresh();
    lesson.announce(`${one.title}. ${one.text}`);
  }

  choose(cases.find(({ id }) => id === lesson.case) ?? cases[0]);
  return { element: element('div', { class: 'row' }, ...buttons.map(({ press }) => press)), below: element('div', {}, text, link) };
}
