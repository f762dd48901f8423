// Classic cases of two polygons. A scene has the same text as in the address of the part "Two polygons".

import { element } from '../controls.js';

export const cases = [
  {
    id: 'inside',
    title: 'One inside the other',
    scene: { a: 'triangle', pa: '0.25_0_0', b: '-2.5_-2.25*2.5_-2.25*2.5_2.25*-2.5_2.25', pb: '0_0_0' },
    text: 'A lies inside B, and no edges cross. On every axis, the projection of A lies within the projection of B. No axis has a gap, so the polygons overlap.',
  },
  {
    id: 'needle',
    title: 'Needle',
    scene: { a: 'needle', pa: '0.875_0.625_121', b: 'triangle', pb: '-0.5_-0.25_0' },
    text: 'A is a thin needle beside the slanted edge of B. Upright boxes around A and B overlap. Only axes nearly perpendicular to the needle have a gap.',
  },
  {
    id: 'parallel',
    title: 'Parallel edges',
    scene: { a: 'square', pa: '-1.25_-0.5_0', b: 'square', pb: '1.25_0.5_0' },
    text: 'The squares share a part of an edge. Parallel edges have the same normal, so two axes are enough for the eight edges.',
  },
  {
    id: 'corner',
    title: 'Corner to corner',
    scene: { a: 'square', pa: '-1.25_-1.25_0', b: 'square', pb: '1.25_1.25_0' },
    text: 'The squares share one corner. On both axes, the projections meet in one point. No axis has a gap, so the squares touch.',
  },
];

/** The link to a scene in the part "Two polygons". */
export const pairLink = (scene) => `#pair?${new URLSearchParams(scene)}`;

/** Makes a paragraph of links to the cases, for the part "Two polygons". */
export function caseLinks() {
  const links = cases.flatMap(({ title, scene }, i) => [i ? ', ' : '', element('a', { href: pairLink(scene) }, title)]);
  return element('p', { class: 'note case-links' }, 'Classic cases: ', ...links, '. ', element('a', { href: '#lesson' }, 'The lesson'), ' explains the theorem step by step.');
}
