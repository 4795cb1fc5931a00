// The tasks of a session.

import {h, fill, sync, line, quiet, button, chip} from './dom.js';
import {serverNow} from './figures.js';
import {keep, forget} from './drafts.js';
import {field, form, priorities, refs} from './forms.js';
import {ask} from './transport.js';
import {here, linkTo, show, ui, view} from './state.js';
import {doIt, tell} from './frame.js';
import {long, single} from './lists.js';
import {changes} from './review.js';

/** Renders the most important tasks, or refreshes the selected list. */
export function showFirstTasks(tasks) {
  fill(ui.tasks.number, tasks.total.toLocaleString('en'));
  if (view.list && !view.past) { view.list.stale = true; refreshTasks(); return; }
  sync(ui.tasksList, tasks.items, each => each.n, task);
  ui.more.hidden = !!view.past || tasks.items.length >= tasks.total;
  fill(ui.more, `Show all ${tasks.total.toLocaleString('en')} by number`);
}

/** Renders a task. */
export function task(each) {
  const open = !['completed', 'cancelled'].includes(each.status);
  const held = each.owner && Date.parse(each.until) > serverNow();
  const status = each.status === 'remaining' && each.ready ? chip('ready') : chip(each.status);
  return h('li', {class: 'task ' + each.status},
    line(h('a', {class: 'ref', href: linkTo(view.name, 'tasks') + '?text=t' + each.n}, 't' + each.n), status,
      each.merged === false ? chip('attention', 'waits for merge') : null,
      each.merged ? chip('plain', each.commit ? 'merged as ' + each.commit.slice(0, 8) : each.unchanged ? 'no changes' : 'merged') : null,
      each.attempts ? chip('attention', each.attempts) : null,
      each.commit ? changes('t' + each.n) : null,
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
    each.touches ? h('p', {class: 'quiet'}, 'touches ', each.touches.map(path => [h('code', {}, path), ' '])) : null,
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

// ---- filter

const choice = (name, options) => h('select', {name}, options.map(([value, label]) => h('option', {value}, label)));
const words = (name, placeholder) => h('input', {name, type: 'search', size: '9', placeholder});

/** Returns the fields that select and sort tasks. Their values are part of the address. */
export function taskFilter() {
  const fields = {
    status: choice('status', [['', 'every status'], ['open', 'open'], ['ready', 'ready'], ['in_progress', 'in progress'],
      ['blocked', 'blocked'], ['completed', 'completed'], ['cancelled', 'cancelled']]),
    sort: choice('sort', [['', 'most important'], ['number', 'number'], ['newest', 'newest'], ['priority', 'priority']]),
    text: words('text', 'login, t5'), agent: words('agent', '2'), touches: words('touches', 'src/'),
  };
  ui.filter = fields;
  let timer;
  const changed = () => {
    clearTimeout(timer);
    const query = selected();
    view.isSelected = query !== '';
    history.replaceState(history.state, '', linkTo(view.name, ...query ? ['tasks'] : []) + (query && '?' + query));
    showTasks(query);
  };
  return h('form', {class: 'row filter', role: 'search', 'aria-label': 'Tasks',
    oninput: event => {
      clearTimeout(timer);
      if (event.target.matches('select')) changed(); else timer = setTimeout(changed, 150);
    },
    onsubmit: event => { event.preventDefault(); changed(); }},
  field('Show', fields.status), field('Sort by', fields.sort), field('Text', fields.text),
  field('Agent', fields.agent), field('Touches', fields.touches));
}

/** Returns the query of the fields that have a value. */
const selected = () => new URLSearchParams(Object.entries(ui.filter)
  .map(([name, input]) => [name, input.value.trim()]).filter(([, value]) => value)).toString();

/** Selects tasks by the query of an address. Unknown names and values are ignored. */
export function selectTasks(query) {
  for (const [name, input] of Object.entries(ui.filter)) input.value = query.get(name) ?? '';
  for (const select of [ui.filter.status, ui.filter.sort]) if (select.selectedIndex < 0) select.value = '';
  const chosen = selected();
  view.isSelected = chosen !== '';
  return showTasks(chosen);
}

/** Shows the tasks of a query, or the most important tasks if the query is empty. */
async function showTasks(query) {
  view.list = query ? {query, items: [], total: 0} : null;
  if (query) await single(nextTasks)(); else if (view.parts.tasks) show.tasks(view.parts.tasks);
}

const isByNumber = list => list.query === 'sort=number';

async function tasksWindow(list, from, limit) {
  const query = new URLSearchParams({sort: 'importance', ...Object.fromEntries(new URLSearchParams(list.query)), from, limit});
  return ask(`${here()}list/tasks?${query}`);
}

async function nextTasks() {
  if (!view.list) { ui.filter.sort.value = 'number'; view.list = {query: selected(), items: [], total: 0}; }
  const list = view.list;
  if (list.items.length && list.items.length >= list.total) return;
  const next = await tasksWindow(list, list.items.length, 100);
  if (view.list === list) { list.items.push(...next.items); list.total = next.total; drawTasks(); }
}

export const moreTasks = single(nextTasks);

let refreshing = null, isRefreshAsked = false;

/** Loads the shown tasks again, once at a time. */
export function refreshTasks() {
  isRefreshAsked = true;
  refreshing ??= setTimeout(async () => {
    isRefreshAsked = false;
    const list = view.list;
    try {
      if (!list) return;
      // Sorted by number, a task keeps its position, so only the visible part is loaded. Otherwise
      // all shown tasks are loaded.
      let from = isByNumber(list) ? Math.max(0, firstSeen() - 50) : 0;
      const items = list.items.slice(0, from);
      do {
        const next = await tasksWindow(list, from, 200);
        items.push(...next.items);
        list.total = next.total;
        from += next.items.length;
        if (!next.items.length) break;
      } while (!isByNumber(list) && from < list.items.length);
      if (isByNumber(list)) items.push(...list.items.slice(from));
      if (view.list === list) { list.items = items; drawTasks(); }
    } catch (e) {
      tell(e.message, true);
    } finally {
      refreshing = null;
      if (isRefreshAsked) refreshTasks();
    }
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
  fill(ui.tasks.number, `${total.toLocaleString('en')} of ${(view.parts.tasks?.total ?? total).toLocaleString('en')}`);
}
