// The state of the page, shared by its modules.

import {$, fill, h} from './dom.js';

/**
 * The shown session: its name, or null for all sessions; its parts; the past moment, the list of
 * tasks, the conversation and the review, or null; and whether the address selects tasks.
 */
export const view = {name: null, parts: {}, past: null, list: null, talk: null, review: null, isSelected: false};

/** The elements of the view by name. */
export const ui = {};

/** The functions that render the parts of a session, by part. */
export const show = {};

/** Resets the view, for a session or null. */
export function leave(name) {
  Object.assign(view, {name, parts: {}, past: null, list: null, talk: null, review: null, isSelected: false});
  for (const key of Object.keys(ui)) delete ui[key];
  document.body.classList.remove('past');
}

/** Returns the path of a session in the API. */
export const here = (name = view.name) => `sessions/${encodeURIComponent(name)}/`;

export const linkTo = (...path) => '#/' + path.map(encodeURIComponent).join('/');

export const crumbs = (...more) =>
  fill($('crumbs'), h('a', {href: '#/'}, 'sessions'), ' / ', h('a', {href: linkTo(view.name)}, view.name), more);

export function panel(key, title, ...children) {
  const number = h('span', {class: 'number'});
  const body = h('div', {class: 'body'}, ...children);
  const section = h('section', {class: 'panel ' + key, id: 'p-' + key, 'aria-labelledby': 'h-' + key, tabindex: '-1'},
    h('h2', {id: 'h-' + key}, title, ' ', number), body);
  ui[key] = {section, body, number};
  return section;
}
