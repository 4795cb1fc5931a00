// The matters that need a person.

import {h, fill, sync, button, quiet, plural, printed, $} from './dom.js';
import {ticking} from './figures.js';
import {keep, forget, draftsOf} from './drafts.js';
import {field, form} from './forms.js';
import {show, ui, view} from './state.js';
import {announce, badge, command, doIt} from './frame.js';
import {long} from './lists.js';

/** Renders the matters of the shown session. */
export function showNeeds(needs) {
  const open = new Set(needs.needs.map(each => each.question?.n));
  const answered = view.past ? [] : answeredDrafts(view.name, n => !open.has(n));
  ui.needs.section.hidden = !needs.count && !answered.length;
  fill(ui.needs.number, needs.count || '');
  showMatters(ui.needsList, [...needs.needs, ...answered], view.name, () => ui.needs.section.hidden ? $('main') : ui.needs.section);
  badge(needs.count, view.parts.state?.state === 'running', view.name);
  announce(needs.count);
}

/** Returns the key of a matter in a list. */
export const needKey = each => each.kind + (each.question?.n ?? '');

/**
 * Renders the matters of a session into a list. The focus moves to the next question only after the
 * person has sent an answer: text for an answered question must not go into another field.
 */
export function showMatters(list, matters, name, otherwise) {
  const focused = list.contains(document.activeElement) && document.activeElement.closest('.need');
  sync(list, matters, needKey, (each, old) => needItem(each, old, name));
  if (!focused || list.contains(document.activeElement)) return;
  (focused.isSent && list.querySelector('textarea') || otherwise()).focus({preventScroll: true});
}

/** Returns the questions with a draft in this tab that another person has answered. */
export const answeredDrafts = (name, isAnswered) =>
  draftsOf(name + ' answer ').map(Number).filter(isAnswered).map(n => ({kind: 'question', gone: true,
    question: view.parts.questions?.items.find(each => each.n === n) ?? ui.asked?.get(name + ' ' + n) ?? {n, text: ''}}));

/** Renders a matter of a session. A question keeps its element. */
export function needItem(each, old, name = view.name) {
  if (each.kind === 'question') {
    const item = old ?? openQuestion(each.question, name);
    item.show(each);
    return item;
  }
  if (each.kind === 'refused') {
    return h('li', {class: 'need'}, h('p', {}, h('b', {}, 'The work is not accepted'),
      ` — refused ${plural(each.times, 'time')} in a row:`),
      each.reasons.map(reason => h('pre', {class: 'reason', tabindex: '0'}, printed(reason))));
  }
  const words = {
    crashed: 'The process of the loop was killed.',
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
function openQuestion(q, name) {
  (ui.asked ??= new Map()).set(name + ' ' + q.n, q);
  const key = `${name} answer ${q.n}`;
  const text = keep(h('textarea', {rows: '2', required: true}), key);
  const again = () => view.name === null ? ui.redraw?.() : view.name === name && view.parts.needs && show.needs(view.parts.needs);
  const meanwhile = h('p', {class: 'quiet', dir: 'auto', role: 'status'});
  let isGone = false, sending = false;
  const send = async sendKey => {
    sending = true;
    const done = isGone
      ? await doIt({order: 'message', text: `About q${q.n}: ${text.value}`, key: sendKey}, answer => `Sent as ${answer.ref}`, name)
      : await doIt({order: 'answer', question: 'q' + q.n, text: text.value}, `Answered q${q.n}`, name);
    sending = false;
    item.isSent = done;
    if (done) setTimeout(again); // after the form has removed the draft
    return done;
  };
  const submit = h('button', {type: 'submit', 'data-act': 'answer'}, 'Answer');
  const discard = button('Discard', 'discard', () => { forget(key); again(); }, {hidden: true});
  const item = h('li', {class: 'need'},
    h('p', {}, h('b', {}, 'q' + q.n), ' ', q.asked ? [q.by ? `${q.by} asks` : 'An agent asks', ', ', ticking(q.asked, 'ago')] : ''),
    long('questions', q.n, q, name), meanwhile,
    form('acts', send, field(`Answer to q${q.n}${name === view.name ? '' : ' of ' + name}`, text, 'wide'), h('div', {class: 'row'}, submit, discard)));
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

/** Renders how a session without a loop goes on: by the command, or by the offer that has ended. */
export const goOn = (name, commandLine, offer) => [command('Go on', commandLine),
  offer ? h('p', {class: 'line acts'}, button('Offer to hosts again', 'offer',
    () => doIt({order: 'offer'}, `Offered ${name} to hosts`, name)), quiet(offer)) : null];
