// Renders the parts of a session.

import {h, fill, sync, line, button, bar, chip, firstLine, plural} from './dom.js';
import {count, dollars, dots, ticking, tokensOf, used} from './figures.js';
import {show, ui, view} from './state.js';
import {badge, doIt} from './frame.js';
import {goOn, showNeeds} from './needs.js';
import {showFirstTasks} from './tasks.js';
import {some, windowed} from './lists.js';
import {agent, gate, host, iteration, merge, letter, messageItem, note, question} from './entries.js';

export function signOfLife() {
  const live = view.parts.state.loop?.live;
  fill(ui.sign, live ? ['last sign of life ', ticking(view.sign, 'ago')] : ['last change ', ticking(view.sign, 'ago')]);
}

/** Shows the gates with their output. */
function toGates() {
  ui.gates.section.scrollIntoView();
  ui.gates.section.focus({preventScroll: true});
}

/** Renders how a session without a loop goes on. A past moment does not. */
function showGoOn() {
  const {state, hosts} = view.parts;
  sync(ui.goOn, state?.command && !view.past ? [{command: state.command, offer: hosts?.ended ? hosts.offer : null}] : [],
    () => '', each => h('div', {}, goOn(view.name, each.command, each.offer)));
}

Object.assign(show, {
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
        state.to_merge ? chip('attention', state.to_merge + ' to merge') : null,
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
    showGoOn();
    if (view.sign) signOfLife();
    badge(view.parts.needs?.count ?? 0, state.state === 'running', state.session);
  },

  needs: showNeeds,

  now(now) {
    ui.now.section.classList.toggle('idle', !now.items.length);
    sync(ui.agents, now.items.length ? now.items : [{none: now.live ? 'The next iteration is about to begin.' : 'No agent is working.'}],
      each => each.agent ?? each.n ?? '', agent);
  },

  tasks: showFirstTasks,
  merge(part) { some('merge', part, each => each.n, merge); },
  mail(part) { some('mail', part, each => each.id, letter); },
  hosts(part) {
    some('hosts', {total: part.offer ? part.remarks.length + 1 : 0, items: part.offer ? [part, ...part.remarks] : []},
      each => each.offer ? '' : each.time + each.text, host);
    fill(ui.hosts.number);
    showGoOn();
  },

  iterations(part) {
    fill(ui.iterations.number, part.total.toLocaleString('en'));
    windowed('iterations', part, each => each.n, iteration);
  },

  messages(part) { fill(ui.messages.number, part.total); windowed('messages', part, each => each.n, messageItem); },
  notes(part) { fill(ui.notes.number, part.total); windowed('notes', part, each => each.n, note); },
  questions(part) { fill(ui.questions.number, part.total); windowed('questions', part, each => each.n, question); },

  gates(gates) {
    const items = (gates.items ?? []).toSorted((a, b) => a.passed - b.passed);
    fill(ui.failing, items.filter(each => !each.passed).map(each => [chip('failed', 'gate failed'),
      button(each.name, 'failing', toGates, {class: 'plain'}), h('span', {dir: 'auto'}, firstLine(each.reason)), ' ']));
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
});
