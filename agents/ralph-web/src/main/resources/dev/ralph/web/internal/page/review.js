// The review of a session's branch: its files and differences, with comments that become messages.

import {$, h, fill, line, quiet, button, plural, clean} from './dom.js';
import {keep} from './drafts.js';
import {field, form} from './forms.js';
import {ask} from './transport.js';
import {crumbs, here, linkTo, ui, view} from './state.js';
import {command, doIt} from './frame.js';

/** The most rows of a file that are shown at once. */
const ROWS = 1000;

/** The most characters of a line to quote in a comment. */
const QUOTED = 300;

/** The lines of a diff's header that are shown. A file may have changed in its mode only. */
const SHOWN = /^(old mode|new mode|new file mode|deleted file mode|Binary files) /;

/** Parses the unified diff of a file to rows with the line numbers before and after. */
export function diffRows(diff) {
  const rows = [];
  let old = 0, now = 0, olds = 0, nows = 0; // the next lines, and the number of lines left in the hunk
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const hunk = olds <= 0 && nows <= 0 && /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
    if (hunk) [old, olds, now, nows] = hunk.slice(1).map(each => Number(each ?? 1));
    if (hunk || text.startsWith('\\')) rows.push({kind: 'at', text});
    else if (olds <= 0 && nows <= 0) { if (SHOWN.test(text)) rows.push({kind: 'at', text}); }
    else if (text.startsWith('+')) { rows.push({kind: 'plus', now: now++, text}); nows--; }
    else if (text.startsWith('-')) { rows.push({kind: 'minus', old: old++, text}); olds--; }
    else { rows.push({kind: 'same', old: old++, now: now++, text}); olds--; nows--; }
  }
  return rows;
}

/** Returns the files as a tree of folders: {name, folders, files}. Folders with one folder are joined. */
export function fileTree(files) {
  const root = {name: '', folders: new Map(), files: []};
  for (const file of files) {
    const names = file.path.split('/');
    let folder = root;
    for (const name of names.slice(0, -1)) {
      if (!folder.folders.has(name)) folder.folders.set(name, {name, folders: new Map(), files: []});
      folder = folder.folders.get(name);
    }
    folder.files.push({...file, name: names.at(-1)});
  }
  const joined = folder => {
    const folders = [...folder.folders.values()].map(joined);
    const [only] = folders;
    return folder.name && folders.length === 1 && !folder.files.length
      ? {...only, name: `${folder.name}/${only.name}`} : {name: folder.name, folders, files: folder.files};
  };
  return joined(root);
}

const counts = file => quiet(file.added == null ? 'binary' : `+${file.added} -${file.removed}`);

// ---- view

/** Returns the query of a review: of a task such as t4, of an iteration by its number, or of the branch. */
const queryOf = ref => ref ? `?${ref.startsWith('t') ? 'task' : 'iteration'}=${ref}` : '';

/** A link to the changes of a task or an iteration. */
export const changes = (ref, name = view.name) => h('a', {href: linkTo(name, 'review') + queryOf(ref)}, 'Changes');

/** Shows the review of a task, an iteration, or the branch of the shown session if the address has none. */
export async function review(query) {
  const names = [/^t[1-9]\d{0,8}$/.exec(query.get('task')), /^[1-9]\d{0,8}$/.exec(query.get('iteration'))];
  const mine = view.review = {ref: names.find(each => each)?.[0] ?? ''};
  crumbs(' / review');
  view.talk = null;
  ui.page.hidden = ui.talk.hidden = true;
  ui.review.hidden = false;
  fill(ui.review, h('h1', {}, `Review of ${view.name}`), h('p', {class: 'quiet'}, 'reading the repository …'));
  $('main').focus({preventScroll: true});
  let got;
  try {
    got = await ask(`${here()}review${queryOf(mine.ref)}`);
  } catch (e) {
    got = {why: e.message, tasks: []};
  }
  if (view.review === mine) fill(ui.review, content(got, mine));
}

/** Hides the review, and shows the session. */
export function closeReview() {
  view.review = null;
  ui.review.hidden = true;
  ui.page.hidden = false;
  crumbs();
  $('main').focus({preventScroll: true});
}

function content(got, mine) {
  const {ref} = mine, isIteration = /^\d/.test(ref);
  const choice = h('select', {onchange: () => { location.hash = linkTo(view.name, 'review') + queryOf(choice.value); }},
    h('option', {value: ''}, 'all tasks'), isIteration ? h('option', {value: ref, selected: true}, 'iteration ' + ref) : null,
    got.tasks.map(each => h('option', {value: 't' + each.n, selected: 't' + each.n === ref}, `t${each.n} ${each.text}`)));
  mine.command = ref && got.base ? `git diff ${got.base.slice(0, 12)} ${got.head.slice(0, 12)}` : `ralph branch diff ${view.name}`;
  const head = h('div', {class: 'panel top'}, h('h1', {}, `Review of ${view.name}${isIteration ? ', iteration ' + ref : ref && ', ' + ref}`),
    got.why ? h('p', {}, got.why) : [
      line(h('code', {}, `${got.base.slice(0, 10)}..${got.head.slice(0, 10)}`), plural(got.total, 'file'),
        h('span', {class: 'plus'}, '+' + got.added), h('span', {class: 'minus'}, '-' + got.removed)),
      h('details', {}, h('summary', {}, plural(got.commit_total, 'commit')), h('ul', {}, got.commits.map(each =>
        h('li', {class: 'line'}, h('code', {}, each.id), h('span', {dir: 'auto'}, each.subject))),
      got.commits.length < got.commit_total ? h('li', {class: 'quiet'}, 'older commits are not listed') : null))],
    h('div', {class: 'row'}, got.tasks.length || isIteration ? field('Changes of', choice) : null, h('a', {href: linkTo(view.name)}, 'back to the session')),
    got.why || ref ? null : h('div', {class: 'commands'}, command('Merge', `ralph branch merge ${view.name}`), command('Discard', `ralph branch discard ${view.name}`)));
  if (got.why) return head;
  const files = new Map(got.files.map((file, i) => [file.path, fileSection(file, got, mine, i)]));
  const left = got.total - got.files.length;
  return [head, h('div', {class: 'review'},
    h('nav', {class: 'panel tree', 'aria-label': 'Changed files', tabindex: '0'}, branch(fileTree(got.files), files)),
    h('div', {class: 'files'}, [...files.values()], left > 0 ? h('p', {class: 'quiet'}, `${plural(left, 'further file')}: ${mine.command}`) : null))];
}

function branch(folder, sections) {
  return h('ul', {}, folder.folders.map(each => h('li', {}, h('details', {open: true}, h('summary', {}, each.name + '/'), branch(each, sections)))),
    folder.files.map(file => h('li', {class: 'line'}, button(file.name, 'file', () => {
      const section = sections.get(file.path);
      section.scrollIntoView();
      section.querySelector('summary').focus({preventScroll: true});
    }, {class: 'plain ' + file.status}), counts(file))));
}

/** Loads a file when it comes near the visible part. */
const near = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries) if (isIntersecting && target.open) target.load();
}, {rootMargin: '600px'});

function fileSection(file, got, mine) {
  const body = h('div', {class: 'lines', role: 'group', 'aria-label': 'Differences of ' + file.path}, h('p', {class: 'quiet'}, 'not loaded yet'));
  const section = h('details', {class: 'panel file', open: true}, h('summary', {}, h('code', {}, file.path), ' ', counts(file)), body);
  let isLoading = false;
  section.load = async () => {
    if (isLoading) return;
    isLoading = true;
    near.unobserve(section);
    try {
      const {diff, head, cut} = await ask(`${here()}review/file?path=${encodeURIComponent(file.path)}${queryOf(mine.ref).replace('?', '&')}`);
      const end = {kind: 'at', text: `Further lines are not shown here. Run: ${mine.command}`};
      rows(body, [...diffRows(diff), ...cut ? [end] : []], file.path, head);
    } catch (e) {
      isLoading = false; // opening the file again retries
      fill(body, h('p', {class: 'quiet'}, e.message));
    }
  };
  section.addEventListener('toggle', () => { if (section.open) section.load(); });
  near.observe(section);
  return section;
}

/** Renders rows. The arrow keys move between the lines; Enter comments on a line. */
function rows(body, all, path, head) {
  let from = 0;
  const more = button('Show more', 'more-rows', () => next());
  const next = () => {
    more.before(...all.slice(from, from += ROWS).map(row => rowOf(row, path, head)));
    more.hidden = from >= all.length;
  };
  fill(body, all.length ? null : h('p', {class: 'quiet'}, 'no changed lines'), more);
  next();
  body.querySelector('.number')?.setAttribute('tabindex', '0');
  body.addEventListener('keydown', event => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key], numbers = [...body.querySelectorAll('button.number')];
    const at = numbers.indexOf(document.activeElement), to = numbers[at + step];
    if (!step || at < 0 || !to) return;
    event.preventDefault();
    document.activeElement.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
}

function rowOf(row, path, head) {
  if (row.kind === 'at') return h('div', {class: 'diffline at'}, h('code', {}, row.text));
  const number = row.now ?? row.old, place = `${clean(path).replace(/\n/g, '\\n')}:${number}${row.now == null ? ' (removed)' : ''}`;
  const element = h('div', {class: 'diffline ' + row.kind},
    h('button', {type: 'button', class: 'number', tabindex: '-1', 'aria-label': `Comment on ${row.now == null ? 'removed ' : ''}line ${number}`,
      onclick: () => comment(element, row, place, head)}, String(number)),
    h('code', {}, row.text || ' '));
  return element;
}

/** Opens the field for a comment on a line, which is sent as a message to the agent. */
function comment(element, row, place, head) {
  if (document.body.classList.contains('reading')) return;
  const open = element.nextElementSibling?.matches('form') ? element.nextElementSibling : null;
  if (open) { open.querySelector('textarea').focus(); return; }
  const text = keep(h('textarea', {rows: '2', required: true}), `${view.name} review ${place}`);
  const close = () => { box.remove(); element.querySelector('button').focus({preventScroll: true}); };
  const box = form('comment acts', async key => {
    const about = `About ${place}, at ${head.slice(0, 10)}:\n> ${row.text.slice(0, QUOTED)}\n\n${text.value}`;
    let ref;
    const isSent = await doIt({order: 'message', text: about, key}, answer => `Sent as ${ref = answer.ref}`);
    if (isSent) {
      box.after(h('p', {class: 'comment', dir: 'auto'}, h('b', {}, ref), ' ', text.value));
      setTimeout(close); // after the form has removed the draft
    }
    return isSent;
  }, field(`Message to the agent about ${place}`, text, 'wide'),
  h('div', {class: 'row'}, h('button', {type: 'submit', 'data-act': 'comment'}, 'Send'), button('Close', 'close', close)));
  element.after(box);
  text.focus();
}
