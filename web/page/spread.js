// Handles that would cover each other lie beside each other.

/** Between the middles of two handles, in CSS pixels. */
const APART = 34;
/** Between a corner and another handle. */
const FROM_CORNER = 24;
/** Between corners of two polygons; corners of one polygon stay where they are. */
const CORNERS_APART = 12;
/** Seen on light and on dark paper. */
const LEADER = '#7a8590';
/** From the border of the picture. */
const INSET = 12;
const RINGS = 4;
const DIRECTIONS = 12;

const isCorner = (kind) => kind.startsWith('vertex');

/** How far apart two handles are to be, by their kinds. */
function least(a, b) {
  if (isCorner(a) && isCorner(b)) return a === b ? 0 : CORNERS_APART;
  return isCorner(a) || isCorner(b) ? FROM_CORNER : APART;
}

/**
 * Where handles go, in order: the first stays where it is, each other goes to the nearest place that covers none before it.
 * `wanted` are `{ kind, at }` on the screen, of one kind all corners of a polygon; the answer is a place each.
 * `taken` are places that are not to be covered either, and `[width, height]` is the picture: what moves stays within.
 */
export function spread(wanted, taken = [], [width, height] = [Infinity, Infinity]) {
  const placed = [...taken];
  const isWithin = ([x, y]) => x >= INSET && y >= INSET && x <= width - INSET && y <= height - INSET;
  const isFree = (kind, [x, y]) => placed.every((other) => Math.hypot(other.at[0] - x, other.at[1] - y) >= least(kind, other.kind));
  for (const { kind, at } of wanted) placed.push({ kind, at: candidates(at, isCorner(kind) ? CORNERS_APART : APART).find((place, i) => (i === 0 || isWithin(place)) && isFree(kind, place)) ?? at });
  return placed.slice(taken.length).map(({ at }) => at);
}

/** The place itself, then places on rings around it, the right one first. */
function candidates([x, y], step) {
  const found = [[x, y]];
  for (let ring = 1; ring <= RINGS; ring += 1) {
    for (let k = 0; k < DIRECTIONS; k += 1) {
      const angle = (2 * Math.PI * k) / DIRECTIONS;
      found.push([x + Math.cos(angle) * ring * step, y + Math.sin(angle) * ring * step]);
    }
  }
  return found;
}

/** The buttons in the corner of a picture, as places that are taken. */
const tools = ({ width }) => [30, 78, 126].map((y) => ({ kind: 'tool', at: [width - 30, y] }));

/**
 * Sets `screen` of every handle of a view: the one that is held first, then corners, then the others as they were made. A handle that
 * is held keeps its distance from what it moves.
 */
export function placeHandles(view) {
  const shown = [...view.handles].flatMap((handle) => {
    const at = handle.options.at();
    if (at) return [{ handle, at: view.toScreen(at), isHeld: handle.element.classList.contains('held') }];
    handle.screen = null;
    return [];
  });
  const rank = ({ handle, isHeld }) => (isHeld ? 0 : isCorner(handle.kind) ? 1 : 2);
  const order = shown.toSorted((p, q) => rank(p) - rank(q));
  const wanted = order.map(({ handle, at, isHeld }) => ({ kind: handle.kind, at: isHeld ? at.map((x, i) => x + handle.aside[i]) : at }));
  spread(wanted, tools(view), [view.width, view.height]).forEach((screen, i) => {
    const { handle, at } = order[i];
    handle.screen = screen;
    handle.aside = [screen[0] - at[0], screen[1] - at[1]];
  });
}

/**
 * Where buttons of handles overlap, a pointer takes the handle whose middle is nearest, and not the one on top. `layer` holds the
 * buttons of the handles of `view`.
 */
export function takeNearest(layer, view) {
  layer.addEventListener('pointerdown', (event) => {
    const [x, y] = view.pointer(event);
    const away = ({ screen }) => Math.hypot(screen[0] - x, screen[1] - y);
    const shown = [...view.handles].filter(({ screen }) => screen);
    const nearest = shown.reduce((best, handle) => (away(handle) < away(best) ? handle : best), shown[0])?.element;
    if (!nearest || nearest === event.target) return;
    event.stopPropagation();
    event.preventDefault();
    nearest.dispatchEvent(new PointerEvent(event.type, event));
  }, { capture: true });
}

/** From a handle that lies aside, a line to what it moves. */
export function drawLeaders(context, view) {
  for (const { options, screen, aside } of view.handles) {
    if (!screen || Math.hypot(...aside) < 1) continue;
    context.save();
    context.strokeStyle = LEADER;
    context.lineWidth = 1;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(...view.toScreen(options.at()));
    context.lineTo(...screen);
    context.stroke();
    context.restore();
  }
}
