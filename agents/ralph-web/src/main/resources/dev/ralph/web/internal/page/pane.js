// The output of the agents: selected by agent and line, searched, followed and copied.

import {h, fill, button, printed, clean, plural} from './dom.js';
import {field} from './forms.js';
import {Output} from './output.js';
import {copy} from './frame.js';

/** The most characters to keep of an agent, and the most matches to mark. */
const MOST_KEPT = 200000, MOST_HITS = 1000;

/** The most characters of an unfinished line to keep. */
const LONGEST_LINE = 10000;

export class OutputPane {
  #pieces = [];
  #kept = new Map(); // the number of kept characters of each agent
  #rests = new Map(); // the unfinished last line of each iteration, while lines are selected
  #output; #text; #agents; #agentField; #lines; #words; #count; #follow;
  #hits = [];
  #hit = 0;

  constructor() {
    this.#text = h('pre', {class: 'output', tabindex: '0', role: 'log', 'aria-live': 'off', 'aria-label': 'Output of the agent'});
    this.#output = new Output(this.#text);
    this.#agents = h('select', {name: 'of', onchange: () => this.#showAll()});
    this.#agentField = field('Output of', this.#agents);
    this.#lines = h('input', {type: 'search', name: 'lines', size: '10', oninput: () => this.#showAll()});
    this.#words = h('input', {type: 'search', name: 'find', size: '10', oninput: () => this.#find(0),
      onkeydown: event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        this.#go(event.shiftKey ? -1 : 1);
      }});
    this.#count = h('span', {class: 'quiet', role: 'status'});
    this.#follow = h('input', {type: 'checkbox', id: 'follow', onchange: () => this.#output.follow(this.#follow.checked)});
    this.#follow.checked = true;
    this.#text.addEventListener('scroll', () => { this.#follow.checked = this.#output.scrolled(); });
    this.tools = h('div', {class: 'row tools', role: 'group', 'aria-label': 'Output'}, this.#agentField,
      field('Only lines with', this.#lines), field('Find', this.#words),
      h('span', {class: 'line'}, button('↑', 'find-previous', () => this.#go(-1), {'aria-label': 'Previous match'}),
        button('↓', 'find-next', () => this.#go(1), {'aria-label': 'Next match'}), this.#count),
      h('span', {}, this.#follow, h('label', {for: 'follow'}, ' follow')),
      button('Copy', 'copy', () => copy(this.#copied(), 'the output'), {'aria-label': 'Copy the output'}));
    this.element = h('div', {}, this.tools, this.#text);
    this.#output.drawn = () => this.#drawn();
    this.clear();
  }

  clear() {
    this.#pieces = [];
    this.#kept.clear();
    this.#rests.clear();
    this.#output.clear();
    this.#drawn();
  }

  /** Adds text of an iteration of an agent; 0 if the session has one agent. */
  add(n, agent, text) {
    const piece = {n, agent, text: text.length > MOST_KEPT ? text.slice(-MOST_KEPT) : text};
    if (!this.#kept.has(agent)) this.#addAgent(agent);
    this.#pieces.push(piece);
    let kept = this.#kept.get(agent) + piece.text.length;
    while (kept > MOST_KEPT) {
      const [oldest] = this.#pieces.splice(this.#pieces.findIndex(each => each.agent === agent), 1);
      kept -= oldest.text.length;
    }
    this.#kept.set(agent, kept);
    if (this.#isOf(piece)) this.#show(piece);
  }

  #addAgent(agent) {
    this.#kept.set(agent, 0);
    const chosen = this.#agents.value, all = [...this.#kept.keys()].sort((a, b) => a - b);
    fill(this.#agents, h('option', {value: ''}, 'all agents'),
      all.map(each => h('option', {value: String(each)}, each ? 'agent ' + each : 'the loop')));
    this.#agents.value = chosen ?? '';
    this.#agentField.hidden = all.length < 2;
  }

  #isOf(piece) { return !this.#agents.value || String(piece.agent) === this.#agents.value; }

  #showAll() {
    this.#output.clear();
    this.#rests.clear();
    for (const piece of this.#pieces) if (this.#isOf(piece)) this.#show(piece);
    this.#drawn();
  }

  #show({n, agent, text}) {
    const shown = this.#selected(n, text);
    if (shown) this.#output.add((agent ? `agent ${agent}, ` : '') + 'iteration ' + n, shown);
  }

  /** Returns the selected lines of a text. A line may come in several pieces. */
  #selected(n, text) {
    const words = this.#lines.value.toLowerCase();
    if (!words) return text;
    const whole = (this.#rests.get(n) ?? '') + text, end = whole.lastIndexOf('\n') + 1;
    this.#rests.set(n, whole.slice(Math.max(end, whole.length - LONGEST_LINE)));
    return whole.slice(0, end).split(/(?<=\n)/).filter(line => line.toLowerCase().includes(words)).join('');
  }

  #copied() {
    this.#rests.clear();
    return this.#pieces.filter(piece => this.#isOf(piece)).map(({n, text}) => clean(printed(this.#selected(n, text)))).join('');
  }

  #drawn() {
    this.tools.hidden = !this.#pieces.length;
    if (this.#words.value) this.#find(this.#hit, true);
  }

  // ---- find

  /** Marks all matches. The text stays as it is, because an agent's output is never markup. */
  #find(hit, isAgain) {
    const words = this.#words.value.toLowerCase();
    this.#hits = [];
    for (const block of words ? this.#text.querySelectorAll('div:not([hidden])') : []) {
      block.normalize();
      const node = block.firstChild, text = node?.data?.toLowerCase() ?? '';
      for (let at = text.indexOf(words); at >= 0 && this.#hits.length < MOST_HITS; at = text.indexOf(words, at + words.length)) {
        const range = new Range();
        range.setStart(node, Math.min(at, node.length));
        range.setEnd(node, Math.min(at + words.length, node.length));
        this.#hits.push(range);
      }
    }
    this.#hit = Math.min(hit, Math.max(0, this.#hits.length - 1));
    this.#mark(!isAgain);
  }

  #go(step) {
    if (!this.#hits.length) return;
    this.#hit = (this.#hit + step + this.#hits.length) % this.#hits.length;
    this.#mark(true);
  }

  #mark(isScrolled) {
    const {length} = this.#hits, now = this.#hits[this.#hit];
    fill(this.#count, !this.#words.value ? '' : length ? `${this.#hit + 1} of ${plural(length, 'match', 'matches')}${length === MOST_HITS ? ' or more' : ''}` : 'no match');
    if (globalThis.CSS?.highlights) {
      CSS.highlights.set('found', new Highlight(...this.#hits));
      CSS.highlights.set('found-now', new Highlight(...now ? [now] : []));
    }
    if (!now || !isScrolled) return;
    const box = this.#text.getBoundingClientRect(), line = now.getBoundingClientRect();
    this.#output.follow(this.#follow.checked = false);
    this.#text.scrollTop += line.top - box.top - this.#text.clientHeight / 2;
  }
}
