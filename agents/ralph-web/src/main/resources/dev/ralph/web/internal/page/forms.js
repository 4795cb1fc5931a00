// Forms and their fields.

import {h} from './dom.js';
import {forget} from './drafts.js';

/** Returns an idempotency key, so that a repeated order is executed once. */
const once = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

export function field(label, input, more) {
  const id = 'f' + Math.random().toString(36).slice(2);
  input.id = id;
  return h('div', {class: 'field ' + (more ?? '')}, h('label', {for: id}, label), input);
}

export const priorities = chosen => h('select', {},
  [['0', '0, first'], ['1', '1'], ['2', '2, usual'], ['3', '3'], ['4', '4, last']].map(([value, label]) =>
    h('option', {value, selected: Number(value) === (chosen ?? 2)}, label)));

export const refs = text => text.split(/[\s,]+/).filter(x => x);

/**
 * A form. Its fields are cleared after sending, unless their values changed meanwhile. A draft that
 * is sent twice has the same key.
 */
export function form(className, send, ...children) {
  const element = h('form', {class: className}, ...children);
  let key = once(), sending = false;
  const values = () => JSON.stringify([...element.elements].map(each => [each.value, each.checked]));
  element.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      event.preventDefault();
      element.requestSubmit();
    }
  });
  element.addEventListener('submit', async event => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    const submit = element.querySelector('[type=submit]');
    submit.setAttribute('aria-disabled', 'true'); // A disabled button would lose the focus.
    const sent = values();
    if (await send(key)) {
      key = once();
      if (values() === sent) {
        for (const each of element.elements) if (each.draft) forget(each);
        element.reset();
      }
    }
    submit.removeAttribute('aria-disabled');
    sending = false;
  });
  return element;
}
