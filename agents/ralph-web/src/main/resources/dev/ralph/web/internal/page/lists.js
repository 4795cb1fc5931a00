// Lists whose items are loaded on demand, and long texts.

import {h, fill, sync, button} from './dom.js';
import {ask} from './transport.js';
import {here, ui, view} from './state.js';
import {tell} from './frame.js';

/** Renders a list whose panel is hidden while the list is empty. */
export function some(list, part, key, make) {
  ui[list].section.hidden = !part.total;
  fill(ui[list].number, part.total);
  sync(ui[list + 'List'], part.items, key, make);
}

/** Returns a function that ignores calls while its work is running. */
export function single(work) {
  let busy = false;
  return async () => {
    if (busy) return;
    busy = true;
    try { await work(); } catch (e) { tell(e.message, true); }
    busy = false;
  };
}

/** Calls a function when a list is scrolled near its end. */
export const atEnd = (list, more) => list.addEventListener('scroll', () => {
  if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) more();
});

/** Renders a list. The part contains the first items; a button or scrolling requests more. */
export function windowed(list, part, key, make) {
  const more = view.past ? [] : ui[list].older ?? [];
  const known = new Set(part.items.map(key));
  const items = [...part.items, ...more.filter(each => !known.has(key(each)))];
  sync(ui[list + 'List'], items, key, make);
  if (!ui[list].more) {
    const next = single(async () => {
      const shown = ui[list + 'List'].children.length;
      const next = await ask(`${here()}list/${list}?from=${shown}&limit=100`);
      ui[list].older = [...ui[list].older ?? [], ...next.items];
      windowed(list, view.parts[list], key, make);
    });
    ui[list].more = button('', 'more-' + list, next);
    atEnd(ui[list + 'List'], () => ui[list].more.hidden || next());
    ui[list].body.append(ui[list].more);
  }
  const left = part.total - items.length;
  ui[list].more.hidden = left <= 0 || !!view.past;
  fill(ui[list].more, `Show ${Math.min(left, 100)} more of ${left.toLocaleString('en')}`);
}

/** A text with a button that loads and shows the rest. */
export function long(list, n, item, name = view.name) {
  const text = item.text;
  const paragraph = h('p', {class: 'text', dir: 'auto'}, text);
  if (!item.length && text.length < 400 && text.split('\n').length < 7) return paragraph;
  paragraph.classList.add('clamped');
  const more = button('Show all', 'all', async () => {
    if (item.length && !paragraph.whole) {
      try {
        const prefix = list === 'tasks' ? 't' : list === 'messages' ? 'm' : list === 'notes' ? 'n' : 'q';
        const got = await ask(`${here(name)}list/${list}/${prefix}${n}`);
        paragraph.whole = true;
        fill(paragraph, got.text);
      } catch (e) { tell(e.message, true); return; }
    }
    const clamped = paragraph.classList.toggle('clamped');
    fill(more, clamped ? 'Show all' : 'Show less');
    more.setAttribute('aria-expanded', String(!clamped));
  }, {class: 'plain', 'aria-expanded': 'false'});
  return h('div', {}, paragraph, more);
}
