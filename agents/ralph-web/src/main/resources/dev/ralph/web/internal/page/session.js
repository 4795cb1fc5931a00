// A session.

import {$, h, fill, button} from './dom.js';
import {OutputPane} from './pane.js';
import {keep} from './drafts.js';
import {field, form, priorities, refs} from './forms.js';
import {crumbs, leave, linkTo, panel, show, ui, view} from './state.js';
import {announceAnew, badge, doIt, listen, restoreScroll} from './frame.js';
import {atEnd} from './lists.js';
import {signOfLife} from './parts.js';
import {moreTasks, refreshTasks, taskFilter} from './tasks.js';
import {find, sinceLastLook} from './search.js';
import {lookBack} from './past.js';
import {talkGoesOn} from './talk.js';

export function session(name) {
  leave(name);
  // The server answers while the page is built. Updates come later than this function ends.
  listen(name, update => {
    if (update.sign) view.sign = update.sign;
    Object.assign(view.parts, update.parts);
    if (update.anew) ui.printed.clear();
    for (const piece of update.said) ui.printed.add(piece.n, agentOf(piece.n), piece.open ? piece.text : piece.text + '\n');
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
  const search = h('form', {role: 'search', class: 'search', 'aria-label': 'Session', onsubmit: event => { event.preventDefault(); find(query.value); }},
    field('Search tasks, messages, notes', query), h('button', {type: 'submit'}, 'Search'));

  ui.tasksList = h('ul', {class: 'items tasks'});
  ui.more = button('', 'more', moreTasks, {hidden: true});
  atEnd(ui.tasksList, () => view.list && moreTasks());
  ui.tasksList.addEventListener('scroll', () => view.list?.stale && refreshTasks());
  ui.printed = new OutputPane();
  ui.agents = h('ul', {class: 'items'});
  for (const each of ['needs', 'messages', 'notes', 'questions', 'iterations', 'gates', 'merge', 'mail', 'hosts'])
    ui[each + 'List'] = h('ul', {class: 'items'});

  ui.head = h('div', {class: 'state'});
  ui.controls = h('div', {class: 'row acts', role: 'group', 'aria-label': 'The loop'});
  ui.since = h('div', {class: 'since', hidden: true});
  ui.found = h('section', {class: 'panel found', hidden: true, 'aria-label': 'Search results'});
  ui.talk = h('div', {hidden: true});
  ui.review = h('div', {hidden: true});
  ui.failing = h('p', {class: 'line'});
  ui.goOn = h('div', {class: 'go-on'});

  ui.page = h('div', {class: 'session'},
    h('div', {class: 'panel top'}, h('div', {class: 'headline'}, h('h1', {}, name),
        h('a', {href: linkTo(name, 'review')}, 'Review the changes'), ui.controls), ui.head, ui.failing, ui.goOn,
      h('div', {class: 'row'}, search, lookBack())),
    ui.since, ui.found,
    panel('needs', 'Needs you', ui.needsList),
    h('div', {class: 'columns'},
      h('div', {class: 'column'},
        panel('now', 'Now', ui.agents, ui.printed.element),
        panel('merge', 'Merge queue', ui.mergeList),
        panel('messages', 'Messages', message, ui.messagesList),
        panel('tasks', 'Tasks', add, taskFilter(), ui.tasksList, ui.more)),
      h('div', {class: 'column'},
        panel('costs', 'Cost'),
        panel('gates', 'Gates', ui.gatesList),
        panel('iterations', 'Iterations', ui.iterationsList),
        panel('notes', 'Notes', ui.notesList),
        panel('questions', 'Questions', ui.questionsList),
        panel('mail', "Its agents' mail", ui.mailList),
        panel('hosts', 'Hosts', ui.hostsList))));
  for (const each of ['needs', 'merge', 'mail', 'hosts']) ui[each].section.hidden = true;
  // Usually the first update comes sooner, so that the page is painted once.
  const {page, talk, review} = ui, open = () => { if (ui.page === page && !page.isConnected) fill($('main'), page, talk, review); };
  setTimeout(open, 150);
  badge(0, false, name);
  announceAnew();
  sinceLastLook(name);
}

/** Returns the number of an iteration's agent, or 0. */
const agentOf = n => [...view.parts.iterations?.items ?? [], ...view.parts.now?.items ?? []]
  .find(each => each.n === n)?.agent ?? 0;
