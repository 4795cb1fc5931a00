// The conversation of an iteration.

import {$, h, fill, line, quiet, button, chip, plural, printed} from './dom.js';
import {took, used} from './figures.js';
import {Output} from './output.js';
import {Story} from './story.js';
import {ask} from './transport.js';
import {crumbs, here, linkTo, ui, view} from './state.js';
import {changes} from './review.js';
import {statusOf} from './entries.js';

export function closeConversation() {
  if (!view.talk) return;
  view.talk = null;
  ui.talk.hidden = true;
  ui.page.hidden = false;
  crumbs();
  $('main').focus({preventScroll: true});
}

export function conversation(n) {
  view.talk = {n, shown: 0, list: h('ol', {class: 'talk'}), more: button('', 'more', () => readOn(), {hidden: true}),
    head: h('div', {}), steps: h('p', {class: 'quiet'}), output: h('pre', {class: 'output', tabindex: '0', 'aria-label': 'End of the output'})};
  view.talk.printed = h('details', {hidden: true}, h('summary', {}, 'Output of the agent'), view.talk.output);
  view.talk.text = new Output(view.talk.output);
  crumbs(' / iteration ' + n);
  fill(ui.talk, h('h1', {}, `Iteration ${n} of ${view.name}`),
    line(h('a', {href: linkTo(view.name)}, 'back to the session'),
      n > 1 ? h('a', {href: linkTo(view.name, 'iteration', n - 1)}, 'previous iteration') : null,
      h('a', {href: linkTo(view.name, 'iteration', n + 1)}, 'next iteration'),
      changes(String(n))),
    view.talk.head, view.talk.steps, h('div', {class: 'panel conversation'}, view.talk.list, view.talk.more, view.talk.printed));
  ui.page.hidden = true;
  ui.talk.hidden = false;
  $('main').focus({preventScroll: true});
  readOn();
}

async function readOn() {
  const mine = view.talk;
  if (!mine || mine.reading) return;
  mine.reading = true;
  try {
    const got = await ask(`${here()}record/${mine.n}?from=${mine.shown}${mine.prints ? '&output=1' : ''}`);
    if (view.talk !== mine) return;
    mine.prints = false;
    if (got.iteration) fill(mine.head, outcome(got.iteration));
    mine.isTalk ||= got.items.some(each => each.type === 'text' || each.type === 'tool_call');
    if (got.output) {
      if (mine.printed.hidden) mine.printed.open = !mine.isTalk || !['success', 'running'].includes(got.iteration?.status);
      mine.printed.hidden = false;
      mine.text.clear();
      mine.text.add(got.output.length ? `The end of ${plural(got.output.length, 'character')}` : '', got.output.text);
    }
    mine.shown += got.items.length;
    mine.story ??= new Story(mine.list);
    for (const each of got.items) mine.story.add(each);
    mine.story.fold(got.iteration?.status === 'running');
    fill(mine.steps, mine.story.counts());
    if (!got.total) fill(mine.list, h('li', {class: 'quiet'}, 'No record of this iteration is kept.'));
    const left = got.total - mine.shown;
    mine.more.hidden = left <= 0;
    fill(mine.more, `Show more of ${left.toLocaleString('en')}`);
  } catch (e) {
    if (view.talk === mine) fill(mine.list, h('li', {class: 'quiet'}, e.message));
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
export function talkGoesOn(update) {
  if (!view.talk) return;
  view.talk.prints ||= update.said.some(piece => piece.n === view.talk.n);
  if (!view.talk.more.hidden || !(view.talk.prints || update.parts.now || update.parts.gates)) return;
  reading ??= setTimeout(() => { reading = null; readOn(); }, view.talk.prints ? 1000 : 200);
}
