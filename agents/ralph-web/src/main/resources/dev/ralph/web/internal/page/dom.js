// Helpers for elements. Text of a session is added as text nodes, never parsed as HTML.

export const $ = id => document.getElementById(id);

/** Control characters and marks that change the direction of text. The page makes them visible. */
const ODD = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
export const clean = text => String(text).replace(/\r\n/g, '\n')
  .replace(ODD, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

/** Removes the colours of a terminal, and the text that a carriage return overwrites. */
export const printed = text => text
  .replace(/\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))/g, '')
  .replace(/\r+(?=\n|$)/g, '').replace(/^[^\n]*\r/gm, '');

/** Returns the first line of a printed text, or its beginning. */
export function firstLine(text) {
  const [line] = clean(printed(text ?? '')).trim().split('\n');
  return line.length > 120 ? line.slice(0, 120) + '…' : line;
}

/** Creates an element. Strings among the children become text; null and false are skipped. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  put(element, children);
  return element;
}

export function put(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false)
      element.append(child instanceof Node ? child : document.createTextNode(clean(child)));
  }
}

export const fill = (element, ...children) => { element.replaceChildren(); put(element, children); };

/** Shows items as children. Unchanged items keep their elements, and so focus and scrolling. */
export function sync(element, items, key, make) {
  const known = element.known ?? new Map();
  const now = new Map();
  const active = element.contains(document.activeElement) ? document.activeElement : null;
  let at = element.firstElementChild;
  for (const item of items) {
    const id = String(key(item));
    let entry = known.get(id);
    const text = entry?.item === item ? entry.text : JSON.stringify(item);
    if (entry?.text !== text) {
      const old = entry?.node;
      const focused = old?.contains(document.activeElement) && document.activeElement.dataset.act;
      entry = {item, text, node: make(item, old)};
      if (old && old !== entry.node) {
        if (at === old) at = entry.node;
        old.replaceWith(entry.node);
        if (focused) entry.node.querySelector(`[data-act="${focused}"]`)?.focus();
      }
    }
    now.set(id, entry);
    if (at === entry.node) at = at.nextElementSibling;
    else element.insertBefore(entry.node, at);
  }
  for (const [id, entry] of known) if (now.get(id)?.node !== entry.node) entry.node.remove();
  element.known = now;
  if (active?.isConnected && active !== document.activeElement) active.focus({preventScroll: true}); // its item was moved
}

export const line = (...children) => h('p', {class: 'line'}, ...children);
export const quiet = (...children) => h('span', {class: 'quiet'}, ...children);

export const button = (label, act, onclick, more) =>
  h('button', {type: 'button', 'data-act': act, onclick, ...more}, label);

export const plural = (count, one, many = one + 's') => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export const bar = (value, max) => h('progress', {value: String(value), max: String(max), 'aria-label': `${value} of ${max} done`});
export const chip = (word, text) => h('span', {class: 'chip ' + word}, text ?? word.replace('_', ' '));
