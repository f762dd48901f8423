import { element } from '../controls.js';

export default {
  id: 'pair',
  title: 'Two polygons',
  mount(section) {
    section.append(element('p', { class: 'lead' }, 'Not here yet.'));
    return { show() {}, hide() {}, state: () => ({}), restore() {} };
  },
};
