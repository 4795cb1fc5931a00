import {test, equal, serve, until} from './harness.js';
import {h, sync} from './dom.js';
import {leave, ui, view} from './state.js';
import {OutputPane} from './pane.js';
import {Story} from './story.js';
import {diffRows, fileTree} from './review.js';
import {selectTasks, taskFilter} from './tasks.js';
import {command, copy} from './frame.js';
import {answeredDrafts, goOn, needItem, showMatters} from './needs.js';
import {heard} from './notify.js';
import './keys.js';

const press = (key, target = document.body) => target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));

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

/** Renders the open questions of a session, and the drafts of answered questions. */
function matters(list, ...open) {
  showMatters(list, [...open, ...answeredDrafts('auth', n => !open.includes(n))]
    .map(each => each.kind ? each : {kind: 'question', question: {n: each, text: 'Which?'}}), 'auth', () => document.getElementById('main'));
}

test('answeredQuestion_keepsTypedText', async () => {
  leave(null);
  const list = h('ul', {});
  document.body.append(list);
  matters(list, 1, 2);
  const field = list.querySelector('textarea');
  field.focus();
  field.value = '80';
  field.dispatchEvent(new Event('input'));
  matters(list, 2);
  equal([document.activeElement === field, field.value, list.children.length], [true, '80', 2]);
  equal(field.closest('.need').textContent.includes('answered meanwhile'), true);
  field.value = '';
  field.dispatchEvent(new Event('input'));
  matters(list, 2);
  equal([list.children.length, document.activeElement.id], [1, 'main']);
  list.remove();
});

test('sentAnswer_movesToNextQuestion', async () => {
  leave(null);
  serve(() => ({}));
  const list = h('ul', {});
  document.body.append(list);
  matters(list, 1, 2);
  const field = list.querySelector('textarea');
  field.focus();
  field.value = '80';
  field.form.requestSubmit();
  await until(() => field.closest('.need').isSent);
  matters(list, 2);
  equal(document.activeElement.closest('.need').textContent.includes('q2'), true);
  list.remove();
});

test('movedItem_keepsFocus', () => {
  const list = h('ul', {}), make = each => h('li', {}, h('input', {name: each}));
  document.body.append(list);
  sync(list, ['a', 'b'], each => each, make);
  list.querySelector('[name=b]').focus();
  sync(list, ['b', 'a'], each => each, make);
  equal(document.activeElement.name, 'b');
  list.remove();
});

// ---- output

async function pane(...pieces) {
  const made = new OutputPane();
  document.body.append(made.element);
  const text = made.element.querySelector('pre');
  for (const [n, agent, said] of pieces) made.add(n, agent, said);
  await until(() => text.textContent.includes(pieces.at(-1)[2].trim()));
  return {made, text, input: (name, value) => {
    const field = made.element.querySelector(`[name=${name}]`);
    field.value = value;
    field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input'));
  }};
}

test('output_isSelectedByAgent', async () => {
  const {made, text, input} = await pane([1, 1, 'from one\n'], [2, 2, 'from two\n']);
  input('of', '2');
  await until(() => text.textContent.includes('two') && !text.textContent.includes('from one'));
  made.add(1, 1, 'more of one\n');
  made.add(2, 2, 'more of two\n');
  await until(() => text.textContent.includes('more of two'));
  equal(text.textContent.includes('more of one'), false);
  made.element.remove();
});

test('singleAgent_hasNoChoice', async () => {
  const {made} = await pane([1, 0, 'text\n']);
  equal(made.element.querySelector('[name=of]').parentNode.hidden, true);
  made.element.remove();
});

test('lines_areSelectedAcrossPieces', async () => {
  const {made, text, input} = await pane([1, 0, 'ok 1\nERR'], [1, 0, 'OR 2\nok 3\n']);
  input('lines', 'error');
  await until(() => text.textContent.includes('ERROR 2'));
  equal(text.textContent.includes('ok'), false);
  made.element.remove();
});

test('find_countsAndMoves', async () => {
  const {made, input} = await pane([1, 0, 'port 80\nPort 8080\nport <b>\n']);
  const count = made.element.querySelector('[role=status]');
  input('find', 'port');
  equal(count.textContent, '1 of 3 matches');
  made.element.querySelector('[data-act=find-previous]').click();
  equal(count.textContent, '3 of 3 matches');
  equal([...CSS.highlights.get('found-now')][0].toString(), 'port');
  input('find', 'nothing');
  equal(count.textContent, 'no match');
  made.element.remove();
});

test('unfollowedOutput_staysWhereItIs', async () => {
  const {made, text} = await pane([1, 0, 'line\n'.repeat(400)]);
  const follow = made.element.querySelector('#follow');
  text.style.cssText = 'height: 100px; overflow: auto';
  follow.click();
  text.scrollTop = 10;
  await new Promise(done => setTimeout(done, 100));
  made.add(1, 0, 'the end\n');
  await until(() => text.textContent.includes('the end'));
  equal([text.scrollTop, follow.checked], [10, false]);
  follow.click();
  equal(text.scrollTop > 1000, true);
  made.element.remove();
});

test('hostileOutput_staysText', async () => {
  const {made, text, input} = await pane([1, 0, '<img src=x onerror=1> find me\n']);
  input('find', 'find me');
  equal(text.querySelectorAll('img').length, 0);
  made.element.remove();
});

test('copied_isTheSelectedText', async () => {
  let copied;
  Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText: async text => { copied = text; }}});
  const {made, input} = await pane([1, 1, '\u001b[1mbold\u001b[0m\n'], [2, 2, 'other\n']);
  input('of', '1');
  made.element.querySelector('[data-act=copy]').click();
  await until(() => copied === 'bold\n');
  command('Merge', 'ralph branch merge auth').querySelector('button').click();
  await until(() => copied === 'ralph branch merge auth');
  made.element.remove();
});

test('refusedClipboard_isNamed', async () => {
  Object.defineProperty(navigator, 'clipboard', {configurable: true, value: undefined});
  document.execCommand = () => false;
  await copy('text', 'the text');
  equal(document.getElementById('toast').textContent.includes('permits no access'), true);
});

// ---- story

const call = (id, tool = 'Read') => ({type: 'tool_call', id, tool, line: id, arguments: {file: id}});
const result = (id, failed, text = 'ok') => ({type: 'tool_result', id, failed, text});

function story(...entries) {
  const list = h('ol', {}), made = new Story(list);
  for (const each of entries) made.add(each);
  made.fold(false);
  return {list, made};
}

test('manySteps_areFolded', () => {
  const {list, made} = story({type: 'text', text: 'I read'},
    ...['a', 'b', 'c', 'd'].flatMap(id => [call(id), result(id, false)]), {type: 'text', text: 'Done'});
  const steps = list.querySelector('.steps details');
  equal([steps.open, steps.querySelector('summary').textContent, made.counts()], [false, '4 steps: Read 4', '4 steps']);
  equal(list.children.length, 3);
});

test('failedStep_staysOpen', () => {
  const {list, made} = story(...['a', 'b', 'c', 'd'].flatMap(id => [call(id), result(id, id === 'c', 'no such file')]));
  const steps = list.querySelector('.steps details'), open = steps.querySelectorAll('.tool_call > div > details[open]');
  equal([steps.open, open.length, made.counts()], [true, 1, '4 steps, 1 failed']);
  equal(open[0].textContent.includes('no such file'), true);
});

test('runningSteps_stayOpen', () => {
  const list = h('ol', {}), made = new Story(list);
  for (const id of ['a', 'b', 'c', 'd', 'e']) made.add(call(id));
  made.fold(true);
  equal(list.querySelector('.steps details').open, true);
});

test('failedGate_isOpenAndPassedIsFolded', () => {
  const {list} = story({type: 'gate', name: 'mvn', passed: false, reason: 'red'}, {type: 'gate', name: 'lint', passed: true, reason: 'green'});
  equal([list.children[0].querySelector('pre').textContent, list.children[1].querySelector('details').open], ['red', false]);
});

test('resultWithoutCall_isShown', () => equal(story(result('x', true, 'lost')).list.textContent.includes('lost'), true));

// ---- review

const DIFF = 'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ class\n same\n-old\n+++new\n\\ No newline at end of file\n';

test('diff_hasLineNumbers', () => equal(diffRows(DIFF).map(each => [each.kind, each.old ?? 0, each.now ?? 0]),
  [['at', 0, 0], ['same', 3, 3], ['minus', 4, 0], ['plus', 0, 4], ['at', 0, 0]]));

test('changedType_hasTwoHunks', () => equal(diffRows('diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n'
  + 'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n').map(each => each.kind),
['at', 'at', 'minus', 'at', 'at', 'plus', 'at']));

test('changedMode_isShown', () => equal(diffRows('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n').map(each => each.text),
  ['old mode 100644', 'new mode 100755']));

test('lineLikeHeader_isALine', () => equal(diffRows('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n--- a\n+++ b\n+@@ -9 +9 @@\n same\n').map(each => [each.kind, each.now ?? 0]),
  [['at', 0], ['minus', 0], ['plus', 1], ['plus', 2], ['same', 3]]));

test('binaryDiff_isNamed', () => equal(diffRows('diff --git a/x b/x\nBinary files a/x and b/x differ\n').length, 1));

test('emptyDiff_hasNoRows', () => equal(diffRows(''), []));

test('tree_joinsSingleFolders', () => {
  const tree = fileTree([{path: 'src/main/A.java'}, {path: 'src/main/deep/B.java'}, {path: 'README.md'}, {path: '__proto__/x'}]);
  equal(tree.files.map(each => each.name), ['README.md']);
  equal(tree.folders.map(each => each.name), ['src/main', '__proto__']);
  equal(tree.folders[0].folders[0].files[0].path, 'src/main/deep/B.java');
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

// ---- go on

test('endedSession_offersCommandAndOffer', () => {
  const list = goOn('auth', 'ralph build -n auth', 'for any host');
  equal(h('div', {}, list).textContent, 'Go on:ralph build -n authCopyOffer to hosts againfor any host');
  equal(h('div', {}, goOn('auth', 'ralph build -n auth', null)).querySelector('[data-act=offer]'), null);
});

// ---- keys

test('keys_areListed', async () => {
  press('?');
  const dialog = document.querySelector('dialog');
  equal([...dialog.querySelectorAll('kbd')].map(each => each.textContent), ['/', 'j', 'k', 'a', 'm', '?', 'Ctrl+Enter']);
  dialog.close();
  await until(() => !document.querySelector('dialog'));
});

test('keys_moveBetweenCards', () => {
  const main = document.getElementById('main');
  main.replaceChildren(h('a', {class: 'card', href: '#/a'}, 'a'), h('a', {class: 'card', href: '#/b'}, 'b'));
  document.activeElement.blur();
  const at = () => document.activeElement.textContent;
  press('j');
  equal(at(), 'a');
  press('j');
  press('j');
  equal(at(), 'b');
  press('k');
  equal(at(), 'a');
});

test('keys_areIgnoredWhileTyping', () => {
  const field = h('textarea', {});
  document.body.append(field);
  field.focus();
  press('?', field);
  equal(document.querySelector('dialog'), null);
  field.remove();
});

test('keys_canBeTurnedOff', async () => {
  press('?');
  document.getElementById('single-keys').click();
  document.querySelector('dialog').close();
  await until(() => !document.querySelector('dialog'));
  press('?');
  equal(document.querySelector('dialog'), null);
  document.getElementById('keys').click();
  document.getElementById('single-keys').click();
  document.querySelector('dialog').close();
  press('?');
  equal(document.querySelectorAll('dialog[open]').length, 1);
  document.querySelector('dialog[open]').close();
});

test('keys_withModifiersAreIgnored', () => {
  for (const held of ['ctrlKey', 'metaKey', 'altKey', 'isComposing'])
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '?', [held]: true, bubbles: true}));
  equal(document.querySelector('dialog[open]'), null);
});

// ---- notifications

test('notification_needsConsentAndHiddenTab', () => {
  const shown = [];
  let visibility = 'hidden';
  Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => visibility});
  window.Notification = class { static permission = 'granted'; constructor(title, options) { shown.push([title, options.body]); } };
  const update = needs => heard('', {sessions: {items: [{name: 'auth', needs, need: {question: {text: 'Which port?'}}}]}});
  update(0);
  update(1);
  equal(shown, []);
  update(0);
  localStorage.setItem('ralph.notify ' + new URL('.', location.href).pathname, 'on');
  update(1);
  update(1);
  update(2);
  equal(shown, [['auth needs you', 'Which port?'], ['auth needs you', '2 items need you']]);
  visibility = 'visible';
  update(3);
  heard('auth', {needs: {count: 0, needs: []}});
  equal(shown.length, 2);
  visibility = 'hidden';
  const other = n => heard('', {sessions: {items: [{name: 'auth', needs: 1, need: {kind: 'question', question: {n, text: 'q' + n}}}]}});
  other(1);
  other(2);
  equal(shown.slice(2).map(each => each[1]), ['q1', 'q2']);
  window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } };
  other(3);
});
