// The commits and differences of an iteration or a task.

import {h, clean, plural} from './dom.js';
import {slices} from './output.js';
import {ask} from './transport.js';
import {here} from './state.js';
import {tell} from './frame.js';

/** Shows the commits and the diff of an iteration or a task below the content of an element. */
export async function showChanges(ref, element) {
  try {
    const got = await ask(`${here()}diff/${ref}`);
    element.querySelector(':scope > .changes')?.remove();
    element.append(h('section', {class: 'changes', 'aria-label': 'Changes'},
      got.why ? h('p', {class: 'quiet'}, got.why) : [
        h('h2', {}, plural(got.commits.length, 'commit')),
        h('ul', {}, got.commits.map(each => h('li', {class: 'line'}, h('code', {}, each.id), each.subject))),
        slices(h('pre', {class: 'diff', tabindex: '0', 'aria-label': 'The differences'}), clean(got.diff), diffLines)]));
  } catch (e) { tell(e.message, true); }
}

export const diffLines = diff => diff.split(/(?<=\n)/).map(line =>
  h('span', {class: line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : line.startsWith('@@') ? 'at' : null}, line));
