import { element } from '../controls.js';

export default {
  id: 'benchmark',
  title: 'GPU against CPU',
  mount(section) {
    section.append(element('p', { class: 'lead' }, 'Not here yet.'));
    return { show() {}, hide() {}, state: () => ({}), restore() {} };
  },
};
