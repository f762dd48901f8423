// Makes the elements that every part of the page uses, with their labels.

let ids = 0;
const fresh = (stem) => `${stem}-${(ids += 1)}`;

/** Makes an element with attributes and children. Attributes `on…` are listeners; `null`, `undefined` and `false` are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** A button. `label` is its text, `title` its tooltip; `pressed` makes it a toggle button that starts pressed or not. */
export function button(label, press, { title = null, pressed = null, kind = '' } = {}) {
  const attributes = { type: 'button', class: `button ${kind}`.trim(), title, onclick: press };
  if (pressed !== null) attributes['aria-pressed'] = String(pressed);
  return element('button', attributes, label);
}

/** A list to choose one of `options` from, `[value, text]` each: `{ row, input }`. `change(value)` is called after each choice. */
export function choice(label, options, value, change) {
  const id = fresh('choice');
  const input = element('select', { id, onchange: () => change(input.value) });
  input.append(...options.map(([key, text]) => element('option', { value: key }, text)));
  input.value = value;
  return { row: element('div', { class: 'field' }, element('label', { for: id }, label), input), input };
}

/**
 * A slider with its value beside it: `{ row, input, set }`. `show(value)` makes the text of the value; `change(value)` is called when the
 * reader moves the slider, but not by `set(value)`.
 */
export function slider(label, { min, max, step, value, show = String }, change) {
  const id = fresh('slider');
  const output = element('output', { for: id });
  const input = element('input', { id, type: 'range', min, max, step, value });
  const refresh = () => {
    output.textContent = show(Number(input.value));
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    refresh();
    change(Number(input.value));
  });
  refresh();
  const set = (to) => {
    input.value = to;
    refresh();
  };
  const head = element('div', { class: 'field-head' }, element('label', { for: id }, label), output);
  return { row: element('div', { class: 'field' }, head, input), input, set };
}

/** A switch: `{ row, input }`. `change(checked)` is called after each change. */
export function toggle(label, checked, change) {
  const id = fresh('toggle');
  const input = element('input', { id, type: 'checkbox', role: 'switch' });
  input.checked = checked;
  input.addEventListener('change', () => change(input.checked));
  return { row: element('div', { class: 'toggle' }, input, element('label', { for: id }, label)), input };
}

/**
 * The text of a number, with `digits` digits after the point. A number other than 0 that would be rounded to 0 gets an exponent. The text
 * has a minus sign instead of a hyphen, and no negative zero. A number that is not finite becomes a dash.
 */
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return '–';
  const text = value !== 0 && Math.abs(value) < 0.5 * 10 ** -digits ? value.toExponential(1) : value.toFixed(digits);
  return text.replace(/^-(0(\.0*)?)$/, '$1').replace(/^-/, '−').replace('e-', 'e−');
}
