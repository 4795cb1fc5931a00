// All sessions of the store.

import {$, h, fill, sync, plural, printed, bar, chip} from './dom.js';
import {dots, ticking, used} from './figures.js';
import {leave, linkTo, panel, show, ui} from './state.js';
import {announce, badge, listen, restoreScroll} from './frame.js';
import {answeredDrafts, goOn, showMatters} from './needs.js';

export function overview() {
  leave(null);
  const groups = {};
  // The server answers while the page is built. Updates come later than this function ends.
  listen('', update => {
    if (update.parts.mail) show.mail(update.parts.mail);
    if (!update.parts.sessions) return;
    ui.redraw = () => draw(update.parts.sessions.items);
    ui.redraw();
    restoreScroll();
  });
  function draw(all) {
    const of = {needs: [], working: [], resting: [], done: []};
    const focused = document.activeElement;
    for (const each of all) {
      const gone = answeredDrafts(each.name, n => each.need?.kind !== 'question' || n < each.need.question.n);
      if (each.needs || gone.length) of.needs.push({...each, gone});
      if (each.state === 'running') of[each.waits ? 'resting' : 'working'].push(each);
      else if (!each.needs) of[each.state === 'completed' ? 'done' : 'resting'].push(each);
    }
    for (const [key, group] of Object.entries(groups)) {
      sync(group.list, of[key], each => each.name, key === 'needs' ? needyCard : card);
      fill(group.number, of[key].length);
      group.section.classList.toggle('empty', !of[key].length);
      group.section.hidden = !of[key].length && key === 'resting';
    }
    const needs = of.needs.reduce((sum, each) => sum + each.needs, 0);
    badge(needs, of.working.length > 0);
    announce(needs);
    if (focused !== document.body && !focused.isConnected) $('main').focus({preventScroll: true});
  }
  fill($('crumbs'));
  const box = (key, title, none) => {
    const list = h('ul', {class: 'cards'}), number = h('span', {class: 'number'});
    const section = h('section', {class: 'group ' + key, 'aria-labelledby': 'g-' + key},
      h('h2', {id: 'g-' + key}, title, ' ', number), list, h('p', {class: 'quiet none'}, none));
    groups[key] = {section, list, number};
    return section;
  };
  ui.mailList = h('ul', {class: 'items'});
  ui.overview = groups;
  fill($('main'), h('h1', {}, 'Sessions'),
    box('needs', 'Needs you', 'Nothing needs you now.'),
    box('working', 'Working', 'No agent is working.'),
    box('resting', 'Waiting', 'None.'),
    box('done', 'Done', 'None yet.'),
    panel('mail', 'Mail in this store', ui.mailList));
  ui.mail.section.hidden = true;
  badge(0, false);
}

/** The card of a session. Its link and a field for an answer keep their elements. */
function card(each, old) {
  const item = old ?? h('li', {}, h('a', {class: 'card', href: linkTo(each.name)}));
  fill(item.firstChild, h('strong', {}, each.name), ' ', chip(each.state),
    each.needs ? h('span', {class: 'chip attention'}, each.needs + ' for you') : null,
    h('span', {class: 'line'}, each.tasks ? bar(each.done, each.tasks) : null,
      each.tasks ? `${(each.done - (each.cancelled ?? 0)).toLocaleString('en')} of ${plural(each.tasks, 'task')}` : 'no tasks',
      each.cancelled ? `, ${each.cancelled.toLocaleString('en')} cancelled` : '',
      each.iteration ? ` · iteration ${each.iteration}` : '', each.host ? ` · on ${each.host}` : ''),
    each.doing ? h('span', {class: 'line', dir: 'auto'}, each.doing) : null,
    each.last ? h('span', {class: 'last', dir: 'auto'}, printed(each.last)) : null,
    h('span', {class: 'line quiet'}, h('span', {}, dots(ticking(each.active, 'ago'), each.usage ? used(each.usage) : null))));
  const isOver = each.command && each.iteration && each.need?.kind !== 'question';
  if (!item.goOn) item.append(item.goOn = h('div', {class: 'go-on'}));
  sync(item.goOn, isOver ? [{command: each.command, offer: each.offer}] : [], () => '',
    over => h('div', {}, goOn(each.name, over.command, over.offer)));
  return item;
}

/** A card with the first matter of its session, which is answered there. */
function needyCard(each, old) {
  const item = card(each, old), acting = item.acting ??= h('ul', {class: 'acting'});
  if (!acting.parentNode) item.goOn.before(acting);
  showMatters(acting, [...each.gone, ...each.need ? [each.need] : []], each.name, () => item.firstChild);
  return item;
}
