import {test, equal, serve, until} from './harness.js';
import {h} from './dom.js';
import {leave, ui, view} from './state.js';
import {selectTasks, taskFilter} from './tasks.js';
import {needItem} from './needs.js';

// ---- cards

test('question_isAnsweredFromTheOverview', async () => {
  leave(null);
  serve(() => ({}));
  const item = needItem({kind: 'question', question: {n: 2, text: 'Which port?'}}, null, 'auth');
  document.body.append(item);
  item.querySelector('textarea').value = '80';
  item.querySelector('form').requestSubmit();
  await until(() => window.asked.length);
  equal(window.asked[0], {path: 'api/sessions/auth/orders', order: {order: 'answer', question: 'q2', text: '80'}});
  item.remove();
});

// ---- tasks

test('query_fillsTheFilter', async () => {
  leave('auth');
  ui.tasksList = h('ul', {});
  ui.more = h('button', {});
  ui.tasks = {number: h('span', {})};
  document.body.append(taskFilter());
  serve(() => ({total: 1, items: [{n: 5, status: 'remaining', text: 'Do it', priority: 2}]}));
  await selectTasks(new URLSearchParams('status=open&agent=2&sort=unknown&other=x'));
  equal([ui.filter.status.value, ui.filter.agent.value, ui.filter.sort.value], ['open', '2', '']);
  equal(window.asked[0].path, 'api/sessions/auth/list/tasks?sort=importance&status=open&agent=2&from=0&limit=100');
  equal(ui.tasksList.querySelector('.ref').getAttribute('href'), '#/auth/tasks?text=t5');
});

