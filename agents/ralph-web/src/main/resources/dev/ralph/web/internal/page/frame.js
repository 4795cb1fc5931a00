// The frame of each view: title, icon, messages of the page, and its connection.

import {$, h, fill, button, quiet} from './dom.js';
import {setServerTime, ticks} from './figures.js';
import {ask} from './transport.js';
import {watch, unwatch} from './tabs.js';
import {here, leave, view} from './state.js';
import {heard} from './notify.js';

setInterval(() => {
  for (const each of document.querySelectorAll('time[data-how]')) {
    const text = ticks[each.dataset.how](each.dateTime);
    if (each.textContent !== text) each.textContent = text;
  }
}, 1000);

// ---- server

let toastTimer;
export function tell(text, bad) {
  const toast = $('toast');
  fill(toast, text);
  toast.className = bad ? 'toast bad' : 'toast';
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, bad ? 12000 : 4000);
}

/** Copies a text. Without a secure connection, browsers have the old command only. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', {value: text, 'aria-hidden': 'true', class: 'unseen'}), before = document.activeElement;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    before?.focus();
    if (!isCopied) { tell('The browser permits no access to the clipboard. Select the text and copy it.', true); return; }
  }
  tell(`Copied ${what}`);
}

/** A command line with a button that copies the command. */
export const command = (label, text) => h('p', {class: 'line command'}, quiet(label + ':'), h('code', {}, text),
  button('Copy', 'copy-command', () => copy(text, 'the command'), {'aria-label': 'Copy: ' + text}));

/** Sends an order to a session and shows the result. Returns true on success. */
export async function doIt(order, done, name = view.name) {
  try {
    const answer = await ask(`${here(name)}orders`, order);
    tell(typeof done === 'function' ? done(answer) : done);
    return true;
  } catch (e) {
    tell(e.message, true);
    return false;
  }
}

/** Shows a feed: a session, or all sessions if the name is empty. */
export function listen(feed, take) {
  const state = text => { if ($('link').textContent !== text) fill($('link'), text); };
  watch(feed, {
    state,
    hello(hello) {
      setServerTime(hello.now);
      document.body.classList.toggle('reading', hello.read_only);
    },
    arrived: update => heard(feed, update.parts),
    update(update) {
      state(update.problem ? 'stale: ' + update.problem : 'live');
      take(update);
    },
    refused: nothing,
  });
}

// ---- title and icon

let badgeTimer, pageBadge;

/** Shows the state in the title and the icon, after the page: browsers draw an icon slowly. */
export function badge(needs, working, name) {
  pageBadge = {needs, working, name};
  badgeTimer ??= setTimeout(drawBadge, 50);
}

function drawBadge() {
  badgeTimer = null;
  const {needs, working, name} = pageBadge;
  const title = (needs ? `(${needs}) ` : '') + (name ? name + ' · ' : '') + 'Ralph';
  if (document.title !== title) document.title = title;
  const colour = needs ? '%23d9480f' : working ? '%231c7ed6' : '%23868e96';
  const label = needs ? `<text x="16" y="23" font-size="20" font-family="sans-serif" font-weight="bold" text-anchor="middle" fill="white">${needs > 9 ? '9' : needs}</text>` : '';
  const href = `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="${colour}"/>${label}</svg>`;
  if ($('icon').getAttribute('href') !== href) $('icon').setAttribute('href', href);
}

let announced = 0;
export function announce(needs) {
  if (needs > announced) fill($('alert'), needs === 1 ? 'One item needs you' : `${needs} items need you`);
  announced = needs;
}

/** Announces later matters as if none was announced before. */
export const announceAnew = () => { announced = 0; };

// ---- navigation

/** Shows that the address is invalid, with the reason. */
export function nothing(reason) {
  leave(null);
  fill($('crumbs'));
  unwatch();
  fill($('link'), '');
  fill($('main'), h('h1', {}, 'Page not found'), h('p', {}, reason), h('a', {href: '#/'}, 'All sessions'));
  badge(0, false);
}

/** The scroll position to restore after the content is rendered, or null. */
export const scroll = {pending: null};

/** Restores the scroll position after the content is rendered. */
export function restoreScroll() {
  if (scroll.pending == null) return;
  scrollTo(0, scroll.pending);
  scroll.pending = null;
}
