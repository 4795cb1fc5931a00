import {test, equal, serve, until} from './harness.js';
import {h} from './dom.js';
import {leave, show, ui, view, linkTo, here} from './state.js';
import {single, long, windowed} from './lists.js';
import {gate, iteration, statusOf} from './entries.js';
import {task} from './tasks.js';
import './parts.js';

test('leave_clearsTheView', () => {
  Object.assign(view, {parts: {state: {}}, past: 1});
  ui.head = h('p', {});
  leave('a b');
  equal([view.name, view.parts, view.past, Object.keys(ui)], ['a b', {}, null, []]);
  equal([here(), linkTo('a b', 'iteration', 3)], ['sessions/a%20b/', '#/a%20b/iteration/3']);
});

test('everyPart_hasARenderer', () => equal(
  ['state', 'needs', 'tasks', 'merge', 'iterations', 'messages', 'questions', 'notes', 'costs', 'gates', 'now', 'mail', 'hosts']
    .filter(each => typeof show[each] !== 'function'), []));

test('single_ignoresCallsWhileBusy', async () => {
  let calls = 0, finish;
  const work = single(() => { calls++; return new Promise(done => { finish = done; }); });
  const first = work();
  await work();
  finish();
  await first;
  work();
  equal(calls, 2);
});

test('longText_isLoadedOnDemand', async () => {
  leave('auth');
  serve(() => ({text: 'the whole text'}));
  const element = long('tasks', 4, {length: 5000, text: 'the beginning'});
  element.querySelector('button').click();
  await until(() => element.querySelector('p').textContent === 'the whole text');
  equal(window.asked[0].path, 'api/sessions/auth/list/tasks/t4');
});

test('window_loadsMore', async () => {
  leave('auth');
  const list = h('ul', {}), body = h('div', {}, list);
  ui.notes = {body};
  ui.notesList = list;
  view.parts.notes = {total: 3, items: [{n: 3}, {n: 2}]};
  serve(() => ({items: [{n: 1}]}));
  windowed('notes', view.parts.notes, each => each.n, each => h('li', {}, String(each.n)));
  body.querySelector('button').click();
  await until(() => list.children.length === 3);
  equal([list.textContent, body.querySelector('button').hidden], ['321', true]);
});

test('failedGate_showsItsOutput', () => {
  view.name = 'auth';
  const item = gate({name: 'mvn', passed: false, exit_code: 1, failures: 2, reason: 'red <b>', iteration: 4});
  equal(item.querySelector('.reason').textContent, 'red <b>');
  equal(item.querySelector('a').getAttribute('href'), '#/auth/iteration/4');
});

test('iteration_showsStatusAndTask', () => {
  equal(statusOf({status: 'timed_out'}).className, 'chip failed');
  equal(iteration({n: 3, status: 'success', task: 7, agent: 2, ms: 1000}).textContent.startsWith('#3successagent 2t71 s'), true);
});

test('task_showsItsMerge', () => {
  const item = task({n: 2, status: 'completed', text: 'Do it', priority: 2, merged: true, commit: '0123456789ab'});
  equal(item.textContent.includes('merged as 01234567'), true);
  equal(item.querySelector('[data-act=reopen]').getAttribute('aria-label'), 'Reopen t2');
});
