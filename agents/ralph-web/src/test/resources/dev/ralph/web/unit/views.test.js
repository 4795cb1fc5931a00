import {test, equal, serve, until} from './harness.js';
import {leave} from './state.js';
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

