// Lets the reader copy a link to the current state of a part of the page.

import { button, element } from './controls.js';

/** How long the message after copying stays, in milliseconds. */
const SHOWN = 4000;

/** Makes a button that copies the link, and an element for the message afterwards. */
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
