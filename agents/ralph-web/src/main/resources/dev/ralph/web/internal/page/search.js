// The search in a session, and the changes since the last visit.

import {h, fill, button, chip, plural} from './dom.js';
import {serverNow, ticking} from './figures.js';
import {ask} from './transport.js';
import {here, ui, view} from './state.js';
import {tell} from './frame.js';
import {single} from './lists.js';
import {iteration, messageItem, note, question} from './entries.js';
import {task} from './tasks.js';

export async function find(words) {
  ui.found.hidden = !words.trim();
  if (!words.trim()) return;
  const form = {task, message: messageItem, note, question, iteration};
  const list = h('ul', {class: 'items'});
  let from = 0;
  const next = single(async () => {
    const got = await ask(`${here()}search?q=${encodeURIComponent(words)}&from=${from}`);
    from += got.window;
    list.append(...got.found.map(each => form[each.kind](each.item)));
    const left = got.total - list.children.length;
    more.hidden = left <= 0 || !got.found.length;
    fill(more, `Show more of ${left.toLocaleString('en')}`);
    fill(title, got.total ? plural(got.total, 'hit') + ' for ' : 'Nothing found for ', '“', words, '”');
    list.hidden = !got.total;
  });
  const title = h('h2', {}), more = button('', 'more-found', next, {hidden: true});
  fill(ui.found, title, list, h('div', {class: 'row'}, more, button('Close', 'close', () => { ui.found.hidden = true; })));
  await next();
  ui.found.tabIndex = -1;
  ui.found.focus();
}

const lookKey = name => 'ralph.looked.' + name;

/** Stores the time of this visit, and shows the changes since the last visit. */
export async function sinceLastLook(name) {
  let before;
  try { before = localStorage.getItem(lookKey(name)); } catch { return; }
  const looks = () => {
    if (view.name === name && document.visibilityState === 'visible')
      localStorage.setItem(lookKey(name), new Date(serverNow()).toISOString());
  };
  setTimeout(looks, 2000);
  if (!before || Date.now() - Date.parse(before) < 60000) return;
  try {
    const changes = await ask(`${here()}changes?time=${before}`);
    if (!changes.total && !changes.iterations || view.name !== name) return;
    ui.since.hidden = false;
    fill(ui.since, h('section', {class: 'panel', 'aria-label': 'Since your last visit'},
      h('h2', {}, 'Since your last visit, ', ticking(before, 'ago')),
      h('p', {}, `${plural(changes.iterations, 'iteration')} started, ${plural(changes.total, 'change')}.`),
      h('details', {}, h('summary', {}, 'What changed'), h('ul', {class: 'items'}, changes.items.map(each =>
        h('li', {class: 'line'}, h('b', {}, each.ref), chip('plain', each.what.replace('_', ' ')),
          h('span', {class: 'text clamped', dir: 'auto'}, each.text))))),
      button('Seen', 'seen', () => { ui.since.hidden = true; })));
  } catch (e) { tell(e.message, true); }
}

addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden' && view.name) {
    try { localStorage.setItem(lookKey(view.name), new Date(serverNow()).toISOString()); } catch { /* private browsing */ }
  }
});
