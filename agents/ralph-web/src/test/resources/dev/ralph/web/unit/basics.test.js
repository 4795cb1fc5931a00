import {test, equal, until} from './harness.js';
import {h, fill, sync, clean, printed, plural, bar, chip} from './dom.js';
import {took, count, dollars, used, dots} from './figures.js';
import {Output, slices} from './output.js';
import {keep, forget, draftsOf} from './drafts.js';
import {form, field, refs} from './forms.js';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202e\u001b[31m';

test('hostileText_becomesOneTextNode', () => {
  const element = h('p', {title: HOSTILE}, HOSTILE);
  equal(element.childNodes.length, 1);
  equal(element.querySelectorAll('*').length, 0);
  equal(element.textContent.includes('\\u202e\\u001b[31m'), true);
});

test('falseAttributes_areOmitted', () => {
  const element = h('input', {hidden: false, title: null, required: true, value: 'x'});
  equal([element.hasAttribute('hidden'), element.hasAttribute('title'), element.required, element.value],
    [false, false, true, 'x']);
});

test('colours_areRemoved', () => {
  equal(printed('\u001b[1mbold\u001b[0m'), 'bold');
  equal(printed('10 %\r20 %\rdone\r\nnext'), 'done\nnext');
  equal(printed('\u001b]8;;http://x\u0007link\u001b]8;;\u0007'), 'link');
  equal(clean('a\u0000b\u2066c\r\nd'), 'a\\u0000b\\u2066c\nd');
});

test('unchangedItem_keepsItsElement', () => {
  const list = h('ul', {}), make = each => h('li', {}, each.text);
  sync(list, [{n: 1, text: 'a'}, {n: 2, text: 'b'}], each => each.n, make);
  const second = list.children[1];
  sync(list, [{n: 2, text: 'b'}, {n: 3, text: 'c'}], each => each.n, make);
  equal([...list.children].map(each => each.textContent), ['b', 'c']);
  equal(list.children[0] === second, true);
});

test('replacedItem_keepsFocusOfButton', () => {
  const list = h('ul', {}), make = each => h('li', {}, h('button', {'data-act': 'go'}, each.text));
  document.body.append(list);
  sync(list, [{n: 1, text: 'a'}], each => each.n, make);
  list.querySelector('button').focus();
  sync(list, [{n: 1, text: 'b'}], each => each.n, make);
  equal(document.activeElement.textContent, 'b');
  list.remove();
});

test('figures_areShort', () => {
  equal([took(900), took(61000), took(7260000)], ['1 s', '1 min 1 s', '2 h 1 min']);
  equal([count(999), count(1500), count(2345678)], ['999', '1.50 k', '2.35 M']);
  equal([dollars(0), dollars(0.123), dollars(0.00123)], ['$0.00', '$0.12', '$0.0012']);
  equal(plural(1, 'task') + plural(2000, 'task'), '1 task2,000 tasks');
  equal(dots('a', null, 'b'), ['a', ' · ', 'b']);
});

test('usage_marksEstimates', () => {
  equal(used({input_tokens: 10, cost_usd: '0.5', estimated: true}).textContent, '$0.50 · 10 tokens estimated');
  equal(used(null).textContent, 'usage not reported');
});

test('barAndChip_haveNames', () => {
  equal(bar(1, 3).getAttribute('aria-label'), '1 of 3 done');
  equal(chip('in_progress').textContent, 'in progress');
});

test('output_keepsItsEnd', async () => {
  const element = h('pre', {class: 'output'}), output = new Output(element);
  document.body.append(element);
  for (let i = 0; i < 3000; i++) output.add('one', `line ${i}\n`);
  await until(() => element.textContent.includes('line 2999\n'));
  equal(element.textContent.includes('line 100\n'), false);
  equal(element.textContent.split('\n').length < 700, true);
  output.clear();
  equal(element.hidden, true);
  element.remove();
});

test('longText_isAddedInSlices', () => {
  const element = h('div', {}), [, more] = slices(element, 'x\n'.repeat(1200));
  equal(element.textContent.length, 1000);
  more.click();
  more.click();
  equal([element.textContent.length, more.hidden], [2400, true]);
});

test('draft_isKeptUntilForgotten', () => {
  const text = keep(h('textarea', {}), 'auth answer 7');
  text.value = '8080';
  text.dispatchEvent(new Event('input'));
  equal(keep(h('textarea', {}), 'auth answer 7').value, '8080');
  equal(draftsOf('auth answer '), ['7']);
  forget('auth answer 7');
  equal(draftsOf('auth answer '), []);
});

test('form_sendsOnceAndClears', async () => {
  const text = h('textarea', {}), keys = [];
  let finish;
  const element = form('acts', key => { keys.push(key); return new Promise(done => { finish = done; }); },
    field('Text', text), h('button', {type: 'submit'}, 'Send'));
  document.body.append(element);
  text.value = 'hello';
  element.requestSubmit();
  element.requestSubmit();
  equal(keys.length, 1);
  finish(false);
  await new Promise(done => setTimeout(done));
  equal(text.value, 'hello');
  element.requestSubmit();
  equal(keys[0] === keys[1], true);
  finish(true);
  await until(() => text.value === '');
  element.remove();
});

test('references_areSplit', () => equal(refs(' t1, t2  t3'), ['t1', 't2', 't3']));

test('filledElement_hasNewChildrenOnly', () => {
  const element = h('p', {}, 'old');
  fill(element, ['a', null, h('b', {}, 'c')]);
  equal(element.textContent, 'ac');
});
