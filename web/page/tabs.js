// The list of parts scrolls sideways if it is wider than the screen. Signs at its ends show that there is more.

/** Keeps `data-more` of `frame` up to date: "left", "right" or both, the sides on which a part of `list` is out of view. */
export function showMore(frame, list) {
  const refresh = () => {
    const left = list.scrollLeft > 1;
    const right = list.scrollLeft + list.clientWidth < list.scrollWidth - 1;
    frame.dataset.more = [left && 'left', right && 'right'].filter(Boolean).join(' ');
  };
  list.addEventListener('scroll', refresh, { passive: true });
  new ResizeObserver(refresh).observe(list);
}
