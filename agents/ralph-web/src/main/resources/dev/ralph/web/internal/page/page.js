// The live page: the view of each address.
// All content of a session is added as text nodes, never parsed as HTML.

import {ui, view} from './state.js';
import {nothing, restoreScroll, scroll} from './frame.js';
import {overview} from './overview.js';
import {session} from './session.js';
import {selectTasks} from './tasks.js';
import {closeConversation, conversation} from './talk.js';
import {closeReview, review} from './review.js';

/** Returns the names and the query in the address, or null if it is malformed. */
function address() {
  const [path, query] = location.hash.slice(2).split(/\?(.*)/s);
  try { return {path: path.split('/').map(decodeURIComponent), query: new URLSearchParams(query)}; } catch { return null; }
}

// Each entry of the history has its own scroll position.
history.scrollRestoration = 'manual';
const scrolls = new Map();
let shownEntry = 0;

function route() {
  if (location.hash && !location.hash.startsWith('#/')) return;
  scrolls.set(shownEntry, scrollY);
  shownEntry = history.state?.entry ?? Date.now();
  history.replaceState({entry: shownEntry}, '');
  scroll.pending = scrolls.get(shownEntry) ?? 0;
  document.querySelector('dialog')?.close(); // The dialog belongs to the previous session.
  const {path, query} = address() ?? {};
  const [name, what, n, ...more] = path ?? [];
  const iteration = what === 'iteration' && /^[1-9]\d{0,8}$/.test(n) ? Number(n) : null;
  const isTasks = what === 'tasks' && n === undefined, isReview = what === 'review' && n === undefined;
  if (!path || what && !iteration && !isTasks && !isReview || more.length) { nothing('The link is malformed.'); return; }
  if (!name) {
    if (!ui.overview) overview(); // A feed that is already read is not sent again.
  } else {
    if (name !== view.name) session(name);
    if (view.review && !isReview) closeReview();
    if (iteration) conversation(iteration); else if (isReview) review(query); else closeConversation();
    if (isTasks) { selectTasks(query); toTasks(); }
    else if (view.isSelected && !iteration && !isReview) selectTasks(new URLSearchParams());
  }
  if (!scroll.pending || view.talk || view.review || view.parts.state) restoreScroll();
}

/** Scrolls to the tasks when the page of the session is shown. */
function toTasks() {
  const tasks = ui.tasks?.section;
  if (!tasks) return;
  scroll.pending = null;
  if (tasks.isConnected) { tasks.scrollIntoView(); tasks.focus({preventScroll: true}); } else setTimeout(toTasks, 50);
}

addEventListener('hashchange', route);

// Opens a view within the click: the event hashchange comes a task later.
addEventListener('click', event => {
  const link = event.target.closest('a[href^="#/"]');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
      || link.hash === location.hash) return;
  event.preventDefault();
  history.pushState(null, '', link.hash);
  route();
});

route();
