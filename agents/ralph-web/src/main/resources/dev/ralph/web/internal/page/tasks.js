// The tasks of a session.

import {h, fill, sync, line, quiet, button, chip} from './dom.js';
import {serverNow} from './figures.js';
import {keep, forget} from './drafts.js';
import {field, form, priorities, refs} from './forms.js';
import {ask} from './transport.js';
import {here, linkTo, show, ui, view} from './state.js';
import {doIt, tell} from './frame.js';
import {long, single} from './lists.js';
import {showChanges} from './diff.js';

/** Renders the most important tasks, or refreshes the selected list. */
export function showFirstTasks(tasks) {
  fill(ui.tasks.number, tasks.total.toLocaleString('en'));
  if (ui.filter.value && !view.past) { if (view.list) view.list.stale = true; refreshTasks(); return; }
  sync(ui.tasksList, tasks.items, each => each.n, task);
  ui.more.hidden = !!view.past || tasks.items.length >= tasks.total;
  fill(ui.more, `Show all ${tasks.total.toLocaleString('en')} by number`);
}

export function task(each) {
  const open = !['completed', 'cancelled'].includes(each.status);
  const held = each.owner && Date.parse(each.until) > serverNow();
  const status = each.status === 'remaining' && each.ready ? chip('ready') : chip(each.status);
  return h('li', {class: 'task ' + each.status},
    line(h('b', {}, 't' + each.n), status,
      each.landed === false ? chip('attention', 'waits for merge') : null,
      each.landed ? chip('plain', each.commit ? 'merged as ' + each.commit.slice(0, 8) : each.unchanged ? 'no changes' : 'merged') : null,
      each.attempts ? chip('attention', each.attempts) : null,
      each.commit ? button('Changes', 'changes', event => showChanges('t' + each.n, event.target.closest('li')), {class: 'plain'}) : null,
      each.branch ? h('code', {class: 'quiet'}, each.branch) : null,
      each.priority !== 2 ? quiet('priority ' + each.priority) : null,
      held ? quiet('by ' + each.owner) : null,
      each.waits ? quiet('waits for ' + each.waits.map(n => 't' + n).join(', ')) : null,
      each.iteration ? h('a', {class: 'quiet', href: linkTo(view.name, 'iteration', each.iteration)}, '#' + each.iteration) : null,
      h('span', {class: 'acts small'},
        open ? button('Edit', 'edit', () => editTask(each), {'aria-label': `Edit t${each.n}`}) : null,
        open ? button('Cancel', 'cancel', () => setStatus(each, 'cancelled'), {'aria-label': `Cancel t${each.n}`})
          : button('Reopen', 'reopen', () => setStatus(each, 'remaining'), {'aria-label': `Reopen t${each.n}`}))),
    long('tasks', each.n, each),
    each.reason ? h('p', {class: 'quiet', dir: 'auto'}, each.reason) : null);
}

function setStatus(each, status) {
  doIt({order: 'status', task: 't' + each.n, status}, `t${each.n} is ${status}`);
}

async function editTask(each) {
  let whole = each.text;
  try {
    if (each.length) whole = (await ask(`${here()}list/tasks/t${each.n}`)).text;
  } catch (e) { tell(e.message, true); return; }
  const priority = priorities(each.priority), draft = `${view.name} edit ${each.n}`;
  const text = keep(h('textarea', {rows: '6', required: true, value: whole}), draft);
  const after = h('input', {value: (each.depends ?? []).map(n => 't' + n).join(' ')});
  const closed = () => {
    dialog.remove();
    document.querySelector(`[aria-label="Edit t${each.n}"]`)?.focus(); // the button may be new
  };
  const dialog = h('dialog', {'aria-labelledby': 'edit-title', onclose: closed},
    form('acts', async () => {
      const order = {order: 'edit', task: 't' + each.n, priority: Number(priority.value), depends: refs(after.value)};
      if (text.value !== whole) order.text = text.value;
      const done = await doIt(order, `Changed t${each.n}`);
      if (done) { forget(draft); dialog.close(); }
      return false;
    },
    h('h2', {id: 'edit-title'}, 'Task t' + each.n),
    field('Text', text, 'wide'), h('div', {class: 'row'}, field('Priority', priority), field('After', after)),
    h('div', {class: 'row'}, h('button', {type: 'submit'}, 'Save'), button('Leave it', 'leave', () => { forget(draft); dialog.close(); }))));
  document.body.append(dialog);
  dialog.showModal();
}

export async function showTasks(filter) {
  view.list = filter ? {filter, items: [], total: 0} : null;
  if (filter) await single(nextTasks)(); else show.tasks(view.parts.tasks);
}

async function tasksWindow(from, limit) {
  return ask(`${here()}list/tasks?status=${view.list.filter}&from=${from}&limit=${limit}`);
}

async function nextTasks() {
  if (!view.list) { ui.filter.value = 'all'; view.list = {filter: 'all', items: [], total: 0}; }
  const list = view.list;
  if (list.items.length && list.items.length >= list.total) return;
  const next = await tasksWindow(list.items.length, 100);
  if (view.list === list) { list.items.push(...next.items); list.total = next.total; drawTasks(); }
}

export const moreTasks = single(nextTasks);

let refreshing;
export function refreshTasks() {
  refreshing ??= setTimeout(async () => {
    refreshing = null;
    const list = view.list;
    if (!list) return;
    try {
      // Sorted by number, a task keeps its position, so only the visible part is loaded. Otherwise
      // all shown tasks are loaded.
      let from = list.filter === 'all' ? Math.max(0, firstSeen() - 50) : 0;
      const items = list.items.slice(0, from);
      do {
        const next = await tasksWindow(from, 200);
        items.push(...next.items);
        list.total = next.total;
        from += next.items.length;
        if (!next.items.length) break;
      } while (list.filter !== 'all' && from < list.items.length);
      if (list.filter === 'all') items.push(...list.items.slice(from));
      if (view.list === list) { list.items = items; drawTasks(); }
    } catch (e) { tell(e.message, true); }
  }, 300);
}

/** Returns the index of the first visible task. */
const firstSeen = () => [...ui.tasksList.children].findIndex(each =>
  each.offsetTop + each.offsetHeight > ui.tasksList.offsetTop + ui.tasksList.scrollTop);

function drawTasks() {
  const {items, total} = view.list;
  sync(ui.tasksList, items, each => each.n, task);
  ui.more.hidden = items.length >= total;
  fill(ui.more, `Show more of ${(total - items.length).toLocaleString('en')}`);
}
