// The link to what a part of the page shows.

import { button, element } from './controls.js';

/** How long it says that the link was copied, in milliseconds. */
const SHOWN = 4000;

/** A button that copies the link, and a place for what came of it. */
export function copyLink(app) {
  const said = element('span', { class: 'note said' });
  const say = (text) => {
    said.textContent = text;
    app.announce(text);
    setTimeout(() => (said.textContent = ''), SHOWN);
  };
  const copy = button('Copy link', async () => {
    try {
      await navigator.clipboard.writeText(app.link());
      say('Copied.');
    } catch {
      say('The link is in the address bar.');
    }
  });
  return [copy, said];
}
