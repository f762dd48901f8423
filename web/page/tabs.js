// The list of parts scrolls sideways where it is wider than the screen: signs at its ends say so.

/** Keeps `data-more` of `frame`, "left", "right" or both, as what of the list is out of view. */
export function showMore(frame, list) {
  const refresh = () => {
    const left = list.scrollLeft > 1;
    const right = list.scrollLeft + list.clientWidth < list.scrollWidth - 1;
    frame.dataset.more = [left && 'left', right && 'right'].filter(Boolean).join(' ');
  };
  list.addEventListener('scroll', refresh, { passive: true });
  new ResizeObserver(refresh).observe(list);
}
