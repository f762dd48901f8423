import { element } from '../controls.js';

export default {
  id: 'sweep',
  title: 'Fast bodies',
  mount(section) {
    section.append(element('p', { class: 'lead' }, 'Not here yet.'));
    return { show() {}, hide() {}, state: () => ({}), restore() {} };
  },
};
