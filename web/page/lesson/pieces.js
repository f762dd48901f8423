// Lists every pair of convex pieces with its relation.

import { element } from '../controls.js';
import { relations } from './words.js';

/** An activity with the list, `{ below, refresh }`. `refresh()` updates it to the picture. */
export function pieceList({ stage }) {
  const list = element('ul', { class: 'lesson-pieces', 'aria-label': 'Pairs of pieces' });
  const refresh = () => {
    const { a, b } = stage.answer;
    list.replaceChildren(...a.pieces.flatMap((p, i) => b.pieces.map((q, k) => {
      const { tone, sign, word } = relations[stage.relationOf(p, q)];
      return element('li', { 'data-tone': tone }, `${sign} Piece ${i + 1} of A, piece ${k + 1} of B: ${word.toLowerCase()}`);
    })));
  };
  refresh();
  return { below: list, refresh };
}
