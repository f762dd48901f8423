// Moves handles apart if they would cover each other.

/** Least distance between the middles of two handles, in CSS pixels as below. */
const APART = 34;
/** Least distance between the handle of a corner and another handle. */
const FROM_CORNER = 24;
/** Least distance between corners of two polygons. Corners of the same polygon never move aside. */
const CORNERS_APART = 12;
/** Colour of the lines to moved handles, visible in the light and in the dark theme. */
const LEADER = '#7a8590';
/** Distance that a moved handle keeps from the border of the picture. */
const INSET = 12;
/** The number of rings around its position on which a handle is tried, and the number of places on each ring. */
const RINGS = 4;
const DIRECTIONS = 12;

const isCorner = (kind) => kind.startsWith('vertex');

/** The least distance between two handles of these kinds. */
function least(a, b) {
  if (isCorner(a) && isCorner(b)) return a === b ? 0 : CORNERS_APART;
  return isCorner(a) || isCorner(b) ? FROM_CORNER : APART;
}

/**
 * Finds a place for each handle: its own position if that covers no earlier handle, else the nearest place on a few rings around it that
 * covers none. If there is none, the handle stays at its position.
 *
 * `wanted` are the handles, `{ kind, at }` on the screen, the most important first; all corners of a polygon have one kind. `taken` are
 * places that must not be covered either. A moved handle stays within the picture, `[width, height]`.
 */
export function spread(wanted, taken = [], [width, height] = [Infinity, Infinity]) {
  const placed = [...taken];
  const isWithin = ([x, y]) => x >= INSET && y >= INSET && x <= width - INSET && y <= height - INSET;
  const isFree = (kind, [x, y]) => placed.every((other) => Math.hypot(other.at[0] - x, other.at[1] - y) >= least(kind, other.kind));
  for (const { kind, at } of wanted) placed.push({ kind, at: candidates(at, isCorner(kind) ? CORNERS_APART : APART).find((place, i) => (i === 0 || isWithin(place)) && isFree(kind, place)) ?? at });
  return placed.slice(taken.length).map(({ at }) => at);
}

/** The place itself, then places on rings around it, each ring from its right side on. */
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

/** The places of the buttons in the corner of a picture. */
const tools = ({ width }) => [30, 78, 126].map((y) => ({ kind: 'tool', at: [width - 30, y] }));

/**
 * Sets `screen` and `aside` of every handle of a view: first the held one, then corners, then the others in the order they were made. A
 * held handle keeps its offset from the point that it moves.
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
 * Where buttons of handles overlap, lets a pointer grab the handle whose middle is nearest instead of the one on top. `layer` is the
 * element that holds the buttons.
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

/** Draws a line from each handle that was moved aside to the point that it moves. */
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
