// Renders the entries of lists.

import {h, line, quiet, chip, printed} from './dom.js';
import {ticking, took, used} from './figures.js';
import {linkTo, view} from './state.js';
import {long} from './lists.js';

export const statusOf = each =>
  chip({success: 'completed', running: 'running'}[each.status] ?? 'failed', each.status.replace('_', ' '));

export function iteration(each) {
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

export const messageItem = each => h('li', {}, line(h('b', {}, 'm' + each.n),
  chip(each.read ? 'plain' : 'attention', each.read ? 'read' : each.expired ? 'expired' : 'unread'),
  each.follow_up && !each.read ? chip('plain', 'next iteration') : null,
  quiet(each.by ? `${each.mail ? 'mail from ' : ''}${each.by}, ` : '', ticking(each.sent, 'ago'))),
each.headline ? h('p', {dir: 'auto'}, h('b', {}, each.headline)) : null,
long('messages', each.n, each));

export const merge = each => h('li', {}, line(h('b', {}, 't' + each.n),
  each.status === 'completed' ? chip('attention', 'waits for merge') : chip('failed', 'not merged'),
  each.branch ? h('code', {class: 'quiet'}, each.branch) : null, each.attempts ? quiet(each.attempts) : null),
each.status === 'completed' ? long('tasks', each.n, each)
  : h('pre', {class: 'reason', tabindex: '0', 'aria-label': `Why t${each.n} was not merged`}, printed(each.reason)));

export const letter = each => h('li', {}, line(h('b', {dir: 'auto'}, each.from ?? 'somebody'), ' → ',
  h('b', {dir: 'auto'}, each.to.join(', ')), chip(each.state === 'unread' ? 'attention' : 'plain', each.state),
  each.answer ? chip('plain', 'answer') : null,
  quiet(each.project, ', ', ticking(each.sent, 'ago'))),
each.headline ? h('p', {dir: 'auto'}, h('b', {}, each.headline)) : null,
long('mail', each.id, each));

export const host = each => h('li', {}, each.offer
  ? h('p', {}, each.ended ? `offered until ${each.ended}: ` : 'offered ', each.offer, ', ', ticking(each.since, 'ago'))
  : line(h('b', {}, each.host), h('span', {dir: 'auto'}, each.text), quiet(ticking(each.time, 'ago'))));

export const note = each => h('li', {}, line(h('b', {}, 'n' + each.n), chip('plain', each.type),
  each.about ? quiet(each.about) : null,
  each.iteration ? h('a', {class: 'quiet', href: linkTo(view.name, 'iteration', each.iteration)}, '#' + each.iteration) : null),
long('notes', each.n, each));

export const question = each => h('li', {}, line(h('b', {}, 'q' + each.n),
  chip(each.answer == null ? 'attention' : 'plain', each.answer == null ? 'open' : 'answered'),
  quiet(each.by ? each.by + ', ' : '', ticking(each.asked, 'ago'))),
long('questions', each.n, each),
each.answer == null ? null : h('p', {class: 'text answer clamped', dir: 'auto'},
  h('b', {}, (each.answered_by ?? 'answer') + ': '), each.answer));

export function gate(each) {
  if (each.none) return h('li', {class: 'quiet'}, each.none);
  return h('li', {}, line(chip(each.passed ? 'completed' : 'failed', each.passed ? 'passed' : 'failed'),
    h('code', {}, each.name), each.exit_code ? quiet('exit code ' + each.exit_code) : null,
    each.failures > 1 ? chip('attention', each.failures + ' times in a row') : null,
    h('a', {class: 'quiet', href: linkTo(view.name, 'iteration', each.iteration)}, '#' + each.iteration),
    each.time ? quiet(ticking(each.time, 'ago')) : null),
  each.reason ? h('pre', {class: 'reason', tabindex: '0', 'aria-label': 'Output of the gate'}, printed(each.reason)) : null);
}

export function agent(each) {
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
