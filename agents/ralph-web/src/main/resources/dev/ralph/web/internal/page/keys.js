// The keys of the page. A key without a function on the shown view says so.

import {$, h, button} from './dom.js';
import {tell} from './frame.js';
import {linkTo, view} from './state.js';

/** The items that j and k select, of the shown view: cards, panels, steps, or files. */
const ITEMS = 'a.card, section.panel, .talk summary, .file > summary';

const isShown = element => element.getClientRects().length > 0;
const shown = selector => [...$('main').querySelectorAll(selector)].filter(isShown);

function focus(selector, none) {
  const [first] = shown(selector);
  if (!first) { tell(none); return; }
  first.scrollIntoView({block: 'nearest'});
  first.focus();
}

/** Moves the focus to the next item, or the previous one. */
function move(step) {
  const items = shown(ITEMS), active = document.activeElement;
  let at = items.indexOf(active);
  if (at < 0) {
    const isBefore = each => active.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING;
    const next = active === document.body || active === $('main') ? 0 : items.findIndex(isBefore);
    at = step > 0 ? (next < 0 ? items.length : next) - 1 : next < 0 ? items.length : next;
  }
  const item = items[Math.min(Math.max(at + step, 0), items.length - 1)];
  item?.focus();
  item?.scrollIntoView({block: 'nearest'});
}

function message() {
  if (!view.name) { tell('Open a session to send a message.'); return; }
  const toField = () => focus('.messages textarea', 'The session is not shown yet.');
  if (!view.talk && !view.review) { toField(); return; }
  addEventListener('hashchange', toField, {once: true});
  location.hash = linkTo(view.name);
}

const KEYS = {
  '/': ['search', () => focus('[type=search]', 'Nothing to search here.')],
  j: ['next card, panel, step or file', () => move(1)],
  k: ['previous card, panel, step or file', () => move(-1)],
  a: ['answer the first question', () => focus('.need textarea', 'No question is open.')],
  m: ['send a message', message],
  '?': ['these keys', help],
};

const SWITCH = 'ralph.keys';

/** Returns whether single keys work. Speech input and unsteady hands may press them by mistake. */
function isOn() {
  try { return localStorage.getItem(SWITCH) !== 'off'; } catch { return true; }
}

function turn(on) {
  try { if (on) localStorage.removeItem(SWITCH); else localStorage.setItem(SWITCH, 'off'); } catch (e) { tell(e.message, true); }
}

function help() {
  const on = h('input', {type: 'checkbox', id: 'single-keys', onchange: () => turn(on.checked)});
  on.checked = isOn();
  const dialog = h('dialog', {'aria-labelledby': 'keys-title', onclose: () => dialog.remove()},
    h('h2', {id: 'keys-title'}, 'Keys'),
    h('table', {}, h('tbody', {}, [...Object.entries(KEYS).map(([key, [what]]) => [key, what]), ['Ctrl+Enter', 'send the text']]
      .map(([key, what]) => h('tr', {}, h('th', {scope: 'row'}, h('kbd', {}, key)), h('td', {}, what))))),
    h('p', {}, on, h('label', {for: 'single-keys'}, ' single keys work outside of text fields')),
    h('div', {class: 'row'}, button('Close', 'close', () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener('keydown', event => {
  const isTyping = event.target.matches?.('input:not([type=checkbox], [type=range]), textarea, select');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector('dialog[open]')) return;
  const [, act] = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : [];
  if (!act || !isOn()) return;
  event.preventDefault();
  act();
});

$('keys')?.addEventListener('click', help);
