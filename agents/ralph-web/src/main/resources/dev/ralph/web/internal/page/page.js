// The live page. All content of a session is added as text nodes, never parsed as HTML.

import {$, h, fill, sync, line, quiet, button, plural, clean, printed} from './dom.js';
import {clock, count, date, dollars, dots, serverNow, setServerTime, ticking, ticks, tokensOf, took, used} from './figures.js';
import {Output, slices} from './output.js';
import {keep, forget, draftsOf} from './drafts.js';
import {field, form, priorities, refs} from './forms.js';
import {ask} from './transport.js';
import {watch, unwatch} from './tabs.js';

setInterval(() => {
  for (const each of document.querySelectorAll('time[data-how]')) {
    const text = ticks[each.dataset.how](each.dateTime);
    if (each.textContent !== text) each.textContent = text;
  }
}, 1000);

// ---- server

/** Returns the path of the shown session in the API. */
const here = () => `sessions/${encodeURIComponent(view.name)}/`;

let toastTimer;
function tell(text, bad) {
  const toast = $('toast');
  fill(toast, text);
  toast.className = bad ? 'toast bad' : 'toast';
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, bad ? 12000 : 4000);
}

/** Sends an order and shows the result. Returns true on success. */
async function doIt(order, done) {
  try {
    const answer = await ask(`${here()}orders`, order);
    tell(typeof done === 'function' ? done(answer) : done);
    return true;
  } catch (e) {
    tell(e.message, true);
    return false;
  }
}

/** Shows a feed: a session, or all sessions if the name is empty. */
function listen(feed, take) {
  const state = text => { if ($('link').textContent !== text) fill($('link'), text); };
  watch(feed, {
    state,
    hello(hello) {
      setServerTime(hello.now);
      document.body.classList.toggle('reading', hello.read_only);
    },
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
function badge(needs, working, name) {
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
function announce(needs) {
  if (needs > announced) fill($('alert'), needs === 1 ? 'One item needs you' : `${needs} items need you`);
  announced = needs;
}

// ---- navigation

let ui = {};
const view = {name: null, parts: {}, past: null};

/** The conversation of an iteration, or null. */
let talk = null;

/** Returns the names in the address, or null if it is malformed. */
function address() {
  try { return location.hash.slice(2).split('/').map(decodeURIComponent); } catch { return null; }
}

// Each entry of the history has its own scroll position.
history.scrollRestoration = 'manual';
const scrolls = new Map();
let shownEntry = 0, pendingScroll = null;

/** Restores the scroll position after the content is rendered. */
function restoreScroll() {
  if (pendingScroll == null) return;
  scrollTo(0, pendingScroll);
  pendingScroll = null;
}

function route() {
  if (location.hash && !location.hash.startsWith('#/')) return;
  scrolls.set(shownEntry, scrollY);
  shownEntry = history.state?.entry ?? Date.now();
  history.replaceState({entry: shownEntry}, '');
  pendingScroll = scrolls.get(shownEntry) ?? 0;
  document.querySelector('dialog')?.close(); // The dialog belongs to the previous session.
  const path = address();
  const [name, what, n] = path ?? [];
  const iteration = what === 'iteration' && /^[1-9]\d{0,8}$/.test(n) ? Number(n) : null;
  if (!path || what && !iteration) nothing('The link is malformed.');
  else if (!name) overview();
  else if (name !== view.name) { session(name); if (iteration) conversation(iteration); }
  else if (iteration) conversation(iteration);
  else closeConversation();
  if (!pendingScroll || talk || view.parts.state) restoreScroll();
}

/** Shows that the address is invalid, with the reason. */
function nothing(reason) {
  leave(null);
  fill($('crumbs'));
  unwatch();
  fill($('link'), '');
  fill($('main'), h('h1', {}, 'Page not found'), h('p', {}, reason), h('a', {href: '#/'}, 'All sessions'));
  badge(0, false);
}

/** Resets the view, for a session or null. */
function leave(name) {
  Object.assign(view, {name, parts: {}, past: null, list: null});
  document.body.classList.remove('past');
  ui = {};
  talk = null;
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

const linkTo = (...path) => '#/' + path.map(encodeURIComponent).join('/');

const crumbs = (...more) =>
  fill($('crumbs'), h('a', {href: '#/'}, 'sessions'), ' / ', h('a', {href: linkTo(view.name)}, view.name), more);

// ---- all sessions

function overview() {
  leave(null);
  const groups = {};
  // The server answers while the page is built. Updates come later than this function ends.
  listen('', update => {
    if (update.parts.mail) show.mail(update.parts.mail);
    const all = update.parts.sessions?.items;
    if (!all) return;
    const of = {needs: [], working: [], resting: [], done: []};
    for (const each of all) {
      if (each.needs) of.needs.push(each);
      if (each.state === 'running') of[each.waits ? 'resting' : 'working'].push(each);
      else if (!each.needs) of[each.state === 'completed' ? 'done' : 'resting'].push(each);
    }
    for (const [key, group] of Object.entries(groups)) {
      sync(group.list, of[key], each => each.name, card);
      fill(group.number, of[key].length);
      group.section.classList.toggle('empty', !of[key].length);
      group.section.hidden = !of[key].length && key === 'resting';
    }
    const needs = of.needs.reduce((sum, each) => sum + each.needs, 0);
    badge(needs, of.working.length > 0);
    announce(needs);
    restoreScroll();
  });
  fill($('crumbs'));
  const box = (key, title, none) => {
    const list = h('ul', {class: 'cards'}), number = h('span', {class: 'number'});
    const section = h('section', {class: 'group ' + key, 'aria-labelledby': 'g-' + key},
      h('h2', {id: 'g-' + key}, title, ' ', number), list, h('p', {class: 'quiet none'}, none));
    groups[key] = {section, list, number};
    return section;
  };
  ui = {mailList: h('ul', {class: 'items'})};
  fill($('main'), h('h1', {}, 'Sessions'),
    box('needs', 'Needs you', 'Nothing needs you now.'),
    box('working', 'Working', 'No agent is working.'),
    box('resting', 'Waiting', 'None.'),
    box('done', 'Done', 'None yet.'),
    panel('mail', 'Mail in this store', ui.mailList));
  ui.mail.section.hidden = true;
  badge(0, false);
}

/** The card of a session. The link element is kept, so that no click is lost. */
function card(each, old) {
  const item = old ?? h('li', {}, h('a', {class: 'card', href: linkTo(each.name)}));
  fill(item.firstChild, h('strong', {}, each.name), ' ', chip(each.state),
    each.needs ? h('span', {class: 'chip attention'}, each.needs + ' for you') : null,
    h('span', {class: 'line'}, each.tasks ? bar(each.done, each.tasks) : null,
      each.tasks ? `${(each.done - (each.cancelled ?? 0)).toLocaleString('en')} of ${plural(each.tasks, 'task')}` : 'no tasks',
      each.cancelled ? `, ${each.cancelled.toLocaleString('en')} cancelled` : '',
      each.iteration ? ` · iteration ${each.iteration}` : '', each.host ? ` · on ${each.host}` : ''),
    each.doing ? h('span', {class: 'line', dir: 'auto'}, each.doing) : null,
    h('span', {class: 'line quiet'}, h('span', {}, dots(ticking(each.active, 'ago'), each.usage ? used(each.usage) : null))));
  return item;
}

const bar = (value, max) => h('progress', {value: String(value), max: String(max), 'aria-label': `${value} of ${max} done`});
const chip = (word, text) => h('span', {class: 'chip ' + word}, text ?? word.replace('_', ' '));

// ---- one session

function panel(key, title, ...children) {
  const number = h('span', {class: 'number'});
  const body = h('div', {class: 'body'}, ...children);
  const section = h('section', {class: 'panel ' + key, id: 'p-' + key, 'aria-labelledby': 'h-' + key, tabindex: '-1'},
    h('h2', {id: 'h-' + key}, title, ' ', number), body);
  ui[key] = {section, body, number};
  return section;
}

function session(name) {
  leave(name);
  // The server answers while the page is built. Updates come later than this function ends.
  listen(name, update => {
    if (update.sign) view.sign = update.sign;
    Object.assign(view.parts, update.parts);
    if (update.anew) ui.printed.clear();
    for (const piece of update.said) ui.printed.add('iteration ' + piece.n, piece.open ? piece.text : piece.text + '\n');
    if (!view.past) {
      for (const part of Object.keys(update.parts)) show[part]?.(update.parts[part]);
      if (view.parts.state) signOfLife();
    }
    talkGoesOn(update);
    open();
    restoreScroll();
  });
  crumbs();

  const text = keep(h('textarea', {rows: '2', required: true}), name + ' message');
  const later = keep(h('input', {type: 'checkbox', id: 'later'}), name + ' later');
  const message = form('acts', async key => doIt(
      {order: 'message', text: text.value, follow_up: later.checked, key}, answer => `Sent as ${answer.ref}`),
    field('Message to the agent', text, 'wide'),
    h('div', {class: 'row'}, h('button', {type: 'submit', 'data-act': 'send'}, 'Send'),
      h('span', {}, later, h('label', {for: 'later'}, ' for the next iteration'))));

  const newTask = keep(h('textarea', {rows: '2', required: true}), name + ' task');
  const priority = keep(priorities(2), name + ' priority');
  const after = keep(h('input', {placeholder: 't3 t4', size: '8'}), name + ' after');
  const add = form('acts', async key => doIt(
      {order: 'add', text: newTask.value, priority: Number(priority.value), depends: refs(after.value), key},
      answer => `Added as ${answer.ref}`),
    field('New task', newTask, 'wide'),
    h('div', {class: 'row'}, field('Priority', priority), field('After', after),
      h('button', {type: 'submit', 'data-act': 'add'}, 'Add')));

  const query = h('input', {type: 'search'});
  const search = h('form', {role: 'search', class: 'search', onsubmit: event => { event.preventDefault(); find(query.value); }},
    field('Search tasks, messages, notes', query), h('button', {type: 'submit'}, 'Search'));

  const filter = h('select', {onchange: () => showTasks(filter.value)},
    [['', 'most important first'], ['ready', 'ready'], ['in_progress', 'in progress'], ['blocked', 'blocked'],
      ['open', 'open'], ['completed', 'completed'], ['cancelled', 'cancelled'], ['all', 'all, by number']]
      .map(([value, label]) => h('option', {value}, label)));
  ui.filter = filter;
  ui.tasksList = h('ul', {class: 'items tasks'});
  ui.more = button('', 'more', moreTasks, {hidden: true});
  atEnd(ui.tasksList, () => ui.filter.value && moreTasks());
  ui.tasksList.addEventListener('scroll', () => view.list?.stale && refreshTasks());
  ui.output = h('pre', {class: 'output', tabindex: '0', role: 'log', 'aria-live': 'off', 'aria-label': 'Output of the agent'});
  ui.printed = new Output(ui.output);
  ui.agents = h('ul', {class: 'items'});
  for (const each of ['needs', 'messages', 'notes', 'questions', 'iterations', 'gates', 'landing', 'mail', 'hosts'])
    ui[each + 'List'] = h('ul', {class: 'items'});

  ui.head = h('div', {class: 'state'});
  ui.controls = h('div', {class: 'row acts', role: 'group', 'aria-label': 'The loop'});
  ui.since = h('div', {class: 'since', hidden: true});
  ui.found = h('section', {class: 'panel found', hidden: true, 'aria-label': 'Search results'});
  ui.talk = h('div', {hidden: true});

  ui.page = h('div', {class: 'session'},
    h('div', {class: 'panel top'}, h('div', {class: 'headline'}, h('h1', {}, name), ui.controls), ui.head,
      h('div', {class: 'row'}, search, lookBack())),
    ui.since, ui.found,
    panel('needs', 'Needs you', ui.needsList),
    h('div', {class: 'columns'},
      h('div', {class: 'column'},
        panel('now', 'Now', ui.agents, ui.output),
        panel('landing', 'Landing', ui.landingList),
        panel('messages', 'Messages', message, ui.messagesList),
        panel('tasks', 'Tasks', add, h('div', {class: 'row'}, field('Show', filter)), ui.tasksList, ui.more)),
      h('div', {class: 'column'},
        panel('costs', 'Cost'),
        panel('gates', 'Gates', ui.gatesList),
        panel('iterations', 'Iterations', ui.iterationsList),
        panel('notes', 'Notes', ui.notesList),
        panel('questions', 'Questions', ui.questionsList),
        panel('mail', "Its agents' mail", ui.mailList),
        panel('hosts', 'Hosts', ui.hostsList))));
  for (const each of ['needs', 'landing', 'mail', 'hosts']) ui[each].section.hidden = true;
  // Usually the first update comes sooner, so that the page is painted once.
  const mine = ui, open = () => { if (ui === mine && !mine.page.isConnected) fill($('main'), mine.page, mine.talk); };
  setTimeout(open, 150);
  badge(0, false, name);
  announced = 0;
  sinceLastLook(name);
}

function signOfLife() {
  const live = view.parts.state.loop?.live;
  fill(ui.sign, live ? ['last sign of life ', ticking(view.sign, 'ago')] : ['last change ', ticking(view.sign, 'ago')]);
}

/** The functions that render the parts. */
const show = {
  state(state) {
    const loop = state.loop, counts = state.counts;
    ui.sign = h('span', {});
    const doneTasks = (counts.completed ?? 0) + (counts.cancelled ?? 0);
    fill(ui.head,
      line(chip(state.state), state.stopping ? chip('attention', 'stopping') : null,
        h('span', {}, dots(loop?.live && state.iteration
          ? h('span', {}, `iteration ${state.iteration}`,
            loop.limit ? ` (${loop.begun} of ${loop.limit})` : '', ', for ', ticking(state.started, 'since'))
          : state.iteration ? `${plural(state.iteration, 'iteration')} so far` : 'no iteration yet',
        state.ended ? `the last run ended: ${state.ended.replace(/_/g, ' ')}` : '', ui.sign))),
      line(state.tasks ? bar(doneTasks, state.tasks) : null,
        state.to_land ? chip('attention', state.to_land + ' to land') : null,
        h('span', {}, dots(
          state.tasks ? `${(counts.completed ?? 0).toLocaleString('en')} of ${plural(state.tasks, 'task')} done, ${state.ready.toLocaleString('en')} ready` : 'no tasks yet',
          counts.cancelled ? `${counts.cancelled.toLocaleString('en')} cancelled` : '',
          loop?.agents ? `${loop.agents} agents` : '',
          state.unread ? plural(state.unread, 'unread message') : '', state.usage ? used(state.usage) : null))),
      loop ? h('p', {class: 'quiet'}, `process ${loop.pid} on ${loop.host}`) : null);
    sync(ui.controls, [
      state.state === 'paused' ? {act: 'resume', label: 'Resume', done: 'Resumed'}
        : loop?.live ? {act: 'pause', label: 'Pause', done: 'Pauses before the next iteration'} : null,
      loop?.live && loop.limit ? {act: 'raise', label: '10 more iterations', more: {iterations: 10}, done: '10 more iterations allowed'} : null,
      loop?.live && view.parts.costs?.budget?.max_cost_usd ? {act: 'raise cost', label: '$5 more', more: {cost_usd: 5}, done: '$5 more allowed'} : null,
      loop?.live && !state.stopping ? {act: 'stop', label: 'Stop', done: 'Stops after this iteration'} : null,
    ].filter(x => x), each => each.act, each =>
      button(each.label, each.act, () => {
        if (each.act !== 'stop' || confirm('Stop the loop after the current iteration?'))
          doIt({order: each.act.split(' ')[0], ...each.more}, each.done);
      }, {class: each.act === 'stop' ? 'danger' : null}));
    if (view.sign) signOfLife();
    badge(view.parts.needs?.count ?? 0, state.state === 'running', state.session);
  },

  needs(needs) {
    const answered = answeredDrafts(needs.needs);
    const hadFocus = ui.needsList.contains(document.activeElement);
    ui.needs.section.hidden = !needs.count && !answered.length;
    fill(ui.needs.number, needs.count || '');
    sync(ui.needsList, [...needs.needs, ...answered], each => each.kind + (each.question?.n ?? ''), need);
    if (hadFocus && !ui.needsList.contains(document.activeElement)) {
      const next = ui.needsList.querySelector('textarea') ?? (ui.needs.section.hidden ? $('main') : ui.needs.section);
      next.focus({preventScroll: true});
    }
    badge(needs.count, view.parts.state?.state === 'running', view.name);
    announce(needs.count);
  },

  now(now) {
    ui.now.section.classList.toggle('idle', !now.items.length);
    sync(ui.agents, now.items.length ? now.items : [{none: now.live ? 'The next iteration is about to begin.' : 'No agent is working.'}],
      each => each.agent ?? each.n ?? '', agent);
  },

  tasks(tasks) {
    fill(ui.tasks.number, tasks.total.toLocaleString('en'));
    if (ui.filter.value && !view.past) { if (view.list) view.list.stale = true; refreshTasks(); return; }
    sync(ui.tasksList, tasks.items, each => each.n, task);
    ui.more.hidden = !!view.past || tasks.items.length >= tasks.total;
    fill(ui.more, `Show all ${tasks.total.toLocaleString('en')} by number`);
  },

  landing(part) { some('landing', part, each => each.n, landing); },
  mail(part) { some('mail', part, each => each.id, letter); },
  hosts(part) {
    some('hosts', {total: part.offer ? part.remarks.length + 1 : 0, items: part.offer ? [part, ...part.remarks] : []},
      each => each.offer ? '' : each.time + each.text, host);
    fill(ui.hosts.number);
  },

  iterations(part) {
    fill(ui.iterations.number, part.total.toLocaleString('en'));
    windowed('iterations', part, each => each.n, iteration);
  },

  messages(part) { fill(ui.messages.number, part.total); windowed('messages', part, each => each.n, messageItem); },
  notes(part) { fill(ui.notes.number, part.total); windowed('notes', part, each => each.n, note); },
  questions(part) { fill(ui.questions.number, part.total); windowed('questions', part, each => each.n, question); },

  gates(gates) {
    const items = gates.items ?? [];
    fill(ui.gates.number, items.length || '');
    sync(ui.gatesList, items.length ? items : [{none: gates.reading ? 'reading the records …' : 'No gate was run yet.'}],
      each => each.name ?? 'none', gate);
  },

  costs(costs) {
    const budget = costs.budget;
    const table = (title, rows, name) => rows?.length
      ? h('table', {}, h('caption', {}, title), h('tbody', {}, rows.map(row =>
        h('tr', {}, h('th', {scope: 'row'}, name(row.name)), h('td', {}, used(row.usage)))))) : null;
    fill(ui.costs.body, h('p', {class: 'big'}, used(costs.usage)),
      budget ? [
        budget.max_cost_usd == null ? null : line(
          bar(Number(budget.used.cost_usd ?? 0), Number(budget.max_cost_usd)),
          `${dollars(Number(budget.used.cost_usd ?? 0))} of ${dollars(Number(budget.max_cost_usd))} in this run`),
        budget.max_tokens == null ? null : line(
          bar(tokensOf(budget.used), Number(budget.max_tokens)),
          `${count(tokensOf(budget.used))} of ${count(Number(budget.max_tokens))} tokens in this run`),
      ] : h('p', {class: 'quiet'}, costs.reading ? 'reading the records …' : 'no budget'),
      table('By agent', costs.agents, name => name || 'not told'),
      table('By model', costs.models, name => name || 'not told'),
      table('By task', costs.tasks, name => name));
  },
};

/** Renders a list whose panel is hidden while the list is empty. */
function some(list, part, key, make) {
  ui[list].section.hidden = !part.total;
  fill(ui[list].number, part.total);
  sync(ui[list + 'List'], part.items, key, make);
}

/** Returns a function that ignores calls while its work is running. */
function single(work) {
  let busy = false;
  return async () => {
    if (busy) return;
    busy = true;
    try { await work(); } catch (e) { tell(e.message, true); }
    busy = false;
  };
}

/** Calls a function when a list is scrolled near its end. */
const atEnd = (list, more) => list.addEventListener('scroll', () => {
  if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) more();
});

/** Renders a list. The part contains the first items; a button or scrolling requests more. */
function windowed(list, part, key, make) {
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

// ---- needs of the person

/** Returns the questions with a draft in this tab that another person has answered. */
function answeredDrafts(needs) {
  if (view.past) return [];
  const open = new Set(needs.map(each => each.question?.n));
  return draftsOf(view.name + ' answer ').map(Number).filter(n => !open.has(n)).map(n => ({
    kind: 'question', gone: true,
    question: view.parts.questions?.items.find(each => each.n === n) ?? ui.asked?.get(n) ?? {n, text: ''}}));
}

function need(each, old) {
  if (each.kind === 'question') {
    const item = old ?? openQuestion(each.question);
    item.show(each);
    return item;
  }
  if (each.kind === 'refused') {
    return h('li', {class: 'need'}, h('p', {}, h('b', {}, 'The work is not accepted'),
      ` — refused ${plural(each.times, 'time')} in a row:`),
      each.reasons.map(reason => h('pre', {class: 'reason', tabindex: '0'}, printed(reason))));
  }
  const words = {
    crashed: 'The process of the loop was killed. Start it again with ralph build.',
    failures: 'The last run ended: too many failures in a row.',
    no_progress: 'The last run ended: the last iterations changed nothing.',
    budget: 'The last run ended: its budget is used up.',
    time_limit: 'The last run ended: the time limit is reached.',
    max_iterations: 'The last run ended: the iteration limit is reached.',
    store_failed: 'The last run ended: the store failed.',
    cannot_start: 'The last run ended: the agent or a gate cannot be started.',
    gate_failed: 'The last run ended: a gate fails without any task of this run.',
    tasks_blocked: 'The last run ended: every open task reached the attempt limit.',
    plan_changed: 'The last run ended: the task list of the change was edited.',
    repository_locked: 'The last run ended: the Git repository is locked.',
  };
  return h('li', {class: 'need'}, h('p', {}, words[each.kind === 'crashed' ? 'crashed' : each.reason] ?? 'The last run ended.'));
}

/**
 * A question with a field for the answer. The element is kept, because the person may be typing.
 */
function openQuestion(q) {
  (ui.asked ??= new Map()).set(q.n, q);
  const name = view.name, key = `${name} answer ${q.n}`;
  const text = keep(h('textarea', {rows: '2', required: true}), key);
  const again = () => view.name === name && view.parts.needs && show.needs(view.parts.needs);
  const meanwhile = h('p', {class: 'quiet', dir: 'auto', role: 'status'});
  let isGone = false, sending = false;
  const send = async sendKey => {
    sending = true;
    const done = isGone
      ? await doIt({order: 'message', text: `About q${q.n}: ${text.value}`, key: sendKey}, answer => `Sent as ${answer.ref}`)
      : await doIt({order: 'answer', question: 'q' + q.n, text: text.value}, `Answered q${q.n}`);
    sending = false;
    if (done) setTimeout(again); // after the form has removed the draft
    return done;
  };
  const submit = h('button', {type: 'submit', 'data-act': 'answer'}, 'Answer');
  const discard = button('Discard', 'discard', () => { forget(key); again(); }, {hidden: true});
  const item = h('li', {class: 'need'},
    h('p', {}, h('b', {}, 'q' + q.n), ' ', q.asked ? [q.by ? `${q.by} asks` : 'An agent asks', ', ', ticking(q.asked, 'ago')] : ''),
    long('questions', q.n, q), meanwhile,
    form('acts', send, field('Answer to q' + q.n, text, 'wide'), h('div', {class: 'row'}, submit, discard)));
  item.show = each => {
    isGone = !!each.gone && !sending;
    const by = each.question.answered_by;
    fill(meanwhile, isGone ? `${by ?? 'Somebody'} answered meanwhile` : '',
      isGone && each.question.answer ? ': ' + each.question.answer : '', isGone ? '. Your text was not sent.' : '');
    meanwhile.hidden = discard.hidden = !isGone;
    fill(submit, isGone ? 'Send as a message' : 'Answer');
  };
  return item;
}

/** A text with a button that loads and shows the rest. */
function long(list, n, item, text = item.text) {
  const paragraph = h('p', {class: 'text', dir: 'auto'}, text);
  if (!item.length && text.length < 400 && text.split('\n').length < 7) return paragraph;
  paragraph.classList.add('clamped');
  const more = button('Show all', 'all', async () => {
    if (item.length && !paragraph.whole) {
      try {
        const prefix = list === 'tasks' ? 't' : list === 'messages' ? 'm' : list === 'notes' ? 'n' : 'q';
        const got = await ask(`${here()}list/${list}/${prefix}${n}`);
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

// ---- now

function agent(each) {
  if (each.none) return h('li', {class: 'quiet'}, each.none);
  const who = each.agent ? chip('plain', 'agent ' + each.agent) : null;
  const doing = each.doing ? h('p', {class: each.waits ? 'line quiet' : 'call'}, each.n ? null : who,
    h('span', {dir: 'auto'}, each.doing, each.until ? [', ', ticking(each.until, 'left')]
      : each.since ? [', for ', ticking(each.since, 'since')] : null)) : null;
  if (!each.n) return h('li', {}, doing);
  return h('li', {},
    line(h('b', {}, '#' + each.n), who, each.task ? h('b', {}, 't' + each.task) : null, each.role ? chip('plain', each.role) : null,
      h('span', {}, [each.client, each.model].filter(x => x).join(', ') || 'an agent', ', for ', ticking(each.started, 'since')),
      each.usage ? used(each.usage) : null),
    doing,
    each.branch || each.agent && each.folder ? h('p', {class: 'quiet'}, h('code', {}, each.folder ?? ''), each.branch ? [' on ', h('code', {}, each.branch)] : null) : null,
    each.saying && !each.calls.length ? h('p', {class: 'text clamped', dir: 'auto'}, each.saying) : null,
    each.calls.map(call => h('p', {class: 'call'}, h('b', {}, call.tool), ' ', h('code', {dir: 'auto'}, call.arguments),
      call.time ? [' ', ticking(call.time, 'since')] : null)));
}

// ---- tasks

function task(each) {
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

async function showTasks(filter) {
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

const moreTasks = single(nextTasks);

let refreshing;
function refreshTasks() {
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

// ---- lists

const statusOf = each =>
  chip({success: 'completed', running: 'running'}[each.status] ?? 'failed', each.status.replace('_', ' '));

function iteration(each) {
  return h('li', {}, line(
    h('a', {href: linkTo(view.name, 'iteration', each.n)}, '#' + each.n), statusOf(each),
    each.agent ? chip('plain', 'agent ' + each.agent) : null, each.task ? quiet('t' + each.task) : null,
    each.role ? chip('plain', each.role) : null,
    each.returned ? chip('attention', each.task ? 'task returned' : 'completion refused') : null,
    each.ms != null ? quiet(took(each.ms)) : each.status === 'running' ? ticking(each.started, 'since') : null,
    each.client ? quiet(each.client) : null,
    each.usage ? used(each.usage) : null),
  each.summary ? h('p', {class: 'text clamped', dir: 'auto'}, printed(each.summary)) : null,
  each.returned ? h('p', {class: 'quiet', dir: 'auto'}, each.task ? 'returned: ' : 'refused: ', printed(each.returned)) : null);
}

const messageItem = each => h('li', {}, line(h('b', {}, 'm' + each.n),
  chip(each.read ? 'plain' : 'attention', each.read ? 'read' : each.expired ? 'expired' : 'unread'),
  each.follow_up && !each.read ? chip('plain', 'next iteration') : null,
  quiet(each.by ? `${each.mail ? 'mail from ' : ''}${each.by}, ` : '', ticking(each.sent, 'ago'))),
each.headline ? h('p', {dir: 'auto'}, h('b', {}, each.headline)) : null,
long('messages', each.n, each));

const landing = each => h('li', {}, line(h('b', {}, 't' + each.n),
  each.status === 'completed' ? chip('attention', 'waits for merge') : chip('failed', 'not merged'),
  each.branch ? h('code', {class: 'quiet'}, each.branch) : null, each.attempts ? quiet(each.attempts) : null),
each.status === 'completed' ? long('tasks', each.n, each)
  : h('pre', {class: 'reason', tabindex: '0', 'aria-label': `Why t${each.n} was not merged`}, printed(each.reason)));

const letter = each => h('li', {}, line(h('b', {dir: 'auto'}, each.from ?? 'somebody'), ' → ',
  h('b', {dir: 'auto'}, each.to.join(', ')), chip(each.state === 'unread' ? 'attention' : 'plain', each.state),
  each.answer ? chip('plain', 'answer') : null,
  quiet(each.project, ', ', ticking(each.sent, 'ago'))),
each.headline ? h('p', {dir: 'auto'}, h('b', {}, each.headline)) : null,
long('mail', each.id, each));

const host = each => h('li', {}, each.offer
  ? h('p', {}, each.ended ? `offered until ${each.ended}: ` : 'offered ', each.offer, ', ', ticking(each.since, 'ago'))
  : line(h('b', {}, each.host), h('span', {dir: 'auto'}, each.text), quiet(ticking(each.time, 'ago'))));

const note = each => h('li', {}, line(h('b', {}, 'n' + each.n), chip('plain', each.type),
  each.about ? quiet(each.about) : null,
  each.iteration ? h('a', {class: 'quiet', href: linkTo(view.name, 'iteration', each.iteration)}, '#' + each.iteration) : null),
long('notes', each.n, each));

const question = each => h('li', {}, line(h('b', {}, 'q' + each.n),
  chip(each.answer == null ? 'attention' : 'plain', each.answer == null ? 'open' : 'answered'),
  quiet(each.by ? each.by + ', ' : '', ticking(each.asked, 'ago'))),
long('questions', each.n, each),
each.answer == null ? null : h('p', {class: 'text answer clamped', dir: 'auto'},
  h('b', {}, (each.answered_by ?? 'answer') + ': '), each.answer));

function gate(each) {
  if (each.none) return h('li', {class: 'quiet'}, each.none);
  return h('li', {}, line(chip(each.passed ? 'completed' : 'failed', each.passed ? 'passed' : 'failed'),
    h('code', {}, each.name), each.exit_code ? quiet('exit code ' + each.exit_code) : null,
    each.failures > 1 ? chip('attention', each.failures + ' times in a row') : null,
    h('a', {class: 'quiet', href: linkTo(view.name, 'iteration', each.iteration)}, '#' + each.iteration),
    each.time ? quiet(ticking(each.time, 'ago')) : null),
  each.reason ? h('pre', {class: 'reason', tabindex: '0', 'aria-label': 'Output of the gate'}, printed(each.reason)) : null);
}

// ---- search and changes

async function find(words) {
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
async function sinceLastLook(name) {
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

// ---- past

const STEPS = 1000;

function lookBack() {
  const range = h('input', {type: 'range', min: '0', max: String(STEPS), value: String(STEPS)});
  const shown = h('output', {}, 'now');
  const back = button('Back to now', 'now', () => { range.value = STEPS; leavePast(); }, {hidden: true});
  let span, timer;
  const leavePast = () => {
    view.past = null;
    clearTimeout(timer);
    fill(shown, 'now');
    range.setAttribute('aria-valuetext', 'now');
    back.hidden = true;
    document.body.classList.remove('past');
    for (const [part, value] of Object.entries(view.parts)) show[part]?.(value);
  };
  range.addEventListener('input', async () => {
    if (Number(range.value) === STEPS) { leavePast(); return; }
    try {
      span ??= Date.parse((await ask(`${here()}span`)).first);
    } catch (e) { tell(e.message, true); return; }
    const time = new Date(span + (serverNow() - span) * range.value / STEPS);
    fill(shown, date(time));
    range.setAttribute('aria-valuetext', date(time));
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const name = view.name;
      try {
        const past = await ask(`${here()}at?time=${time.toISOString()}`);
        if (view.name !== name || Number(range.value) === STEPS) return;
        view.past = time;
        back.hidden = false;
        document.body.classList.add('past');
        for (const [part, value] of Object.entries(past.parts)) show[part]?.(value);
      } catch (e) { tell(e.message, true); }
    }, 150);
  });
  return h('div', {class: 'back'}, field('Look back', range), shown, back);
}

// ---- conversation of an iteration

function closeConversation() {
  if (!talk) return;
  talk = null;
  ui.talk.hidden = true;
  ui.page.hidden = false;
  crumbs();
  $('main').focus({preventScroll: true});
}

function conversation(n) {
  talk = {n, shown: 0, list: h('ol', {class: 'talk'}), more: button('', 'more', () => readOn(), {hidden: true}),
    head: h('div', {}), output: h('pre', {class: 'output', tabindex: '0', 'aria-label': 'End of the output'})};
  talk.printed = h('details', {hidden: true}, h('summary', {}, 'Output of the agent'), talk.output);
  talk.text = new Output(talk.output);
  const changes = h('div', {});
  crumbs(' / iteration ' + n);
  fill(ui.talk, h('h1', {}, `Iteration ${n} of ${view.name}`),
    line(h('a', {href: linkTo(view.name)}, 'back to the session'),
      n > 1 ? h('a', {href: linkTo(view.name, 'iteration', n - 1)}, 'previous iteration') : null,
      h('a', {href: linkTo(view.name, 'iteration', n + 1)}, 'next iteration'),
      button('Changes', 'changes', () => showChanges(n, changes))),
    talk.head, changes, h('div', {class: 'panel conversation'}, talk.list, talk.more, talk.printed));
  ui.page.hidden = true;
  ui.talk.hidden = false;
  $('main').focus({preventScroll: true});
  readOn();
}

async function readOn() {
  const mine = talk;
  if (!mine || mine.reading) return;
  mine.reading = true;
  try {
    const got = await ask(`${here()}record/${mine.n}?from=${mine.shown}${mine.prints ? '&output=1' : ''}`);
    if (talk !== mine) return;
    mine.prints = false;
    if (got.iteration) fill(mine.head, outcome(got.iteration));
    mine.isTalk ||= got.items.some(each => each.type === 'text' || each.type === 'tool_call');
    if (got.output) {
      if (mine.printed.hidden) mine.printed.open = !mine.isTalk;
      mine.printed.hidden = false;
      mine.text.clear();
      mine.text.add(got.output.length ? `The end of ${plural(got.output.length, 'character')}` : '', got.output.text);
    }
    mine.shown += got.items.length;
    for (const each of got.items) {
      const node = entry(each, mine);
      if (node) mine.list.append(node);
    }
    if (!got.total) fill(mine.list, h('li', {class: 'quiet'}, 'No record of this iteration is kept.'));
    const left = got.total - mine.shown;
    mine.more.hidden = left <= 0;
    fill(mine.more, `Show more of ${left.toLocaleString('en')}`);
  } catch (e) {
    if (talk === mine) fill(mine.list, h('li', {class: 'quiet'}, e.message));
  } finally {
    mine.reading = false;
  }
}

/** The status of an iteration, with the reason of a failure. */
const outcome = each => [line(statusOf(each), each.agent ? chip('plain', 'agent ' + each.agent) : null,
  each.ms != null ? quiet(took(each.ms)) : null, each.usage ? used(each.usage) : null),
each.summary ? h(each.status === 'success' ? 'p' : 'pre', {class: each.status === 'success' ? 'text' : 'reason', tabindex: each.status === 'success' ? null : '0', dir: 'auto'}, printed(each.summary)) : null,
each.returned ? h('p', {class: 'quiet', dir: 'auto'}, each.task ? 'returned: ' : 'refused: ', printed(each.returned)) : null];

/** Loads new entries as the record and the output of a running iteration grow. */
let reading;
function talkGoesOn(update) {
  if (!talk) return;
  talk.prints ||= update.said.some(piece => piece.n === talk.n);
  if (!talk.more.hidden || !(talk.prints || update.parts.now || update.parts.gates)) return;
  reading ??= setTimeout(() => { reading = null; readOn(); }, talk.prints ? 1000 : 200);
}

function entry(each, mine) {
  const block = text => slices(h('pre', {class: 'words', dir: 'auto'}), clean(printed(text ?? '')));
  const folded = (title, text, open) => h('details', {open}, h('summary', {}, title), block(text));
  const first = text => { const line = clean(printed(text ?? '')).trim().split('\n')[0]; return line.length > 120 ? line.slice(0, 120) + '…' : line; };
  mine.tools ??= {};
  const body = {
    begin: () => [h('p', {class: 'quiet'}, 'in ' + each.folder, each.branch ? ' on ' + each.branch : '', each.commit ? ' at ' + each.commit.slice(0, 10) : ''),
      folded(`The prompt, ${plural(each.length ?? each.prompt.length, 'character')}`, each.prompt + (each.length ? '\n(cut here)' : ''))],
    client: () => h('p', {class: 'quiet'}, [each.name, each.version, each.model, ...each.arguments ?? []].filter(x => x).join(' ')),
    text: () => block(each.text),
    tool_call: () => {
      mine.tools[each.id] = each.tool;
      const args = each.arguments ?? {}, names = Object.keys(args);
      const text = names.map(name => `${name}: ${typeof args[name] === 'string' ? args[name] : JSON.stringify(args[name])}`).join('\n');
      const isWhole = !names.length || names.length === 1 && args[names[0]] === each.line;
      return [line(h('b', {}, each.tool), h('code', {}, each.line)), isWhole ? null : folded('Arguments', text)];
    },
    tool_result: () => folded([each.failed ? chip('failed') : '→', ' ', h('b', {}, mine.tools[each.id] ?? ''), ' ', first(each.text)], each.text),
    permission: () => h('p', {}, `permission for ${each.asked}: ${each.answer}`),
    retry: () => h('p', {}, `the model failed: ${each.reason}; try ${each.attempt}`),
    used: () => h('p', {class: 'quiet'}, used(each.usage), each.model ? ' ' + each.model : ''),
    gap: () => h('p', {class: 'quiet'}, 'missing: ' + each.reason),
    end: () => h('p', {class: 'quiet'}, 'ended', each.commit ? ' at ' + each.commit.slice(0, 10) : ''),
    gate: () => [line(chip(each.passed ? 'completed' : 'failed', each.passed ? 'passed' : 'failed'), 'gate ', h('code', {}, each.name)),
      each.reason ? block(each.reason) : null],
  }[each.type];
  return body ? h('li', {class: each.type}, h('time', {datetime: each.time, class: 'quiet'}, each.time ? clock(each.time) : ''),
    h('div', {}, body())) : null;
}

/** Shows the commits and the diff of an iteration or a task below the content of an element. */
async function showChanges(ref, element) {
  try {
    const got = await ask(`${here()}diff/${ref}`);
    element.querySelector(':scope > .changes')?.remove();
    element.append(h('section', {class: 'changes', 'aria-label': 'Changes'},
      got.why ? h('p', {class: 'quiet'}, got.why) : [
        h('h2', {}, plural(got.commits.length, 'commit')),
        h('ul', {}, got.commits.map(each => h('li', {class: 'line'}, h('code', {}, each.id), each.subject))),
        slices(h('pre', {class: 'diff', tabindex: '0', 'aria-label': 'The differences'}), clean(got.diff), diffLines)]));
  } catch (e) { tell(e.message, true); }
}

const diffLines = diff => diff.split(/(?<=\n)/).map(line =>
  h('span', {class: line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : line.startsWith('@@') ? 'at' : null}, line));

route();
