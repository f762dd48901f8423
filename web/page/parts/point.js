import { element } from '../controls.js';

export default {
  id: 'point',
  title: 'A point and a polygon',
  mount(section) {
    section.append(element('p', { class: 'lead' }, 'Not here yet.'));
    return { show() {}, hide() {}, state: () => ({}), restore() {} };
  },
};
