// Notifications of the desktop when a session needs a person. They are off until a person permits
// them, and only for hidden tabs, because a visible page shows the same.

import {$, button} from './dom.js';
import {linkTo} from './state.js';

const KEY = 'ralph.notify ' + new URL('.', location.href).pathname;

/** The number of matters of each session, and its first matter, when it was last heard of. */
const known = new Map();

/** Returns whether this browser can notify: browsers permit it at secure addresses and localhost. */
const canNotify = () => 'Notification' in globalThis && isSecureContext;

export function isOn() {
  try { return canNotify() && localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted'; } catch { return false; }
}

async function toggle() {
  const isWanted = !isOn();
  if (isWanted) await Notification.requestPermission();
  const isPermitted = isWanted && Notification.permission === 'granted';
  try { if (isPermitted) localStorage.setItem(KEY, 'on'); else localStorage.removeItem(KEY); } catch { /* private browsing */ }
  draw();
}

function draw() {
  const notify = $('notify');
  notify.hidden = !canNotify();
  notify.replaceChildren(switchOf());
}

/** The switch, with a remark if the browser refuses. */
const switchOf = () => button(isOn() ? 'Notifications on'
  : globalThis.Notification?.permission === 'denied' ? 'Notifications are blocked by the browser' : 'Notifications off',
'notify', toggle, {class: 'plain'});

/** Receives an update of a feed as it arrives, also in a hidden tab. */
export function heard(feed, parts) {
  if (feed === '') {
    for (const {name, needs, need} of parts.sessions?.items ?? []) count(name, needs, need);
  } else if (parts.needs) {
    count(feed, parts.needs.count, parts.needs.needs[0]);
  }
}

function count(name, needs, need) {
  const before = known.get(name), first = JSON.stringify([need?.kind, need?.question?.n]);
  known.set(name, {needs, first});
  const isNew = before && (needs > before.needs || needs && needs === before.needs && first !== before.first);
  if (!isNew || !isOn() || document.visibilityState === 'visible') return;
  const text = needs > 1 ? `${needs} items need you` : need?.question?.text ?? (need?.kind === 'refused' ? 'The work is not accepted.' : 'The run has ended.');
  let notice;
  try {
    notice = new Notification(`${name} needs you`, {body: text.slice(0, 200), tag: KEY + ' ' + name});
  } catch { return; } // Browsers of phones permit notifications of service workers only.
  notice.onclick = () => { window.focus(); location.hash = linkTo(name); notice.close(); };
}

if ($('notify')) {
  draw();
  addEventListener('storage', draw); // another tab has switched notifications on or off
}
