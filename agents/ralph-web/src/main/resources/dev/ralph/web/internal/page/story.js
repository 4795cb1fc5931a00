// An iteration as a story: the agent's words, with the steps between them folded and failures open.

import {h, fill, line, chip, firstLine, plural, clean, printed} from './dom.js';
import {clock, used} from './figures.js';
import {slices} from './output.js';

/** The most steps in a row that stay open. */
const FEW = 3;

const block = text => slices(h('pre', {class: 'words', dir: 'auto'}), clean(printed(text ?? '')));
const folded = (title, text) => h('details', {}, h('summary', {}, title), block(text));
const entry = (type, time, ...content) => h('li', {class: type},
  h('time', {datetime: time, class: 'quiet'}, time ? clock(time) : ''), h('div', {}, ...content));

/** Renders the entries of a record into a list. */
export class Story {
  #list;
  #run = null; // the steps since the agent's last words
  #steps = new Map(); // the running steps by the id of their call
  #total = 0;
  #failed = 0;

  constructor(list) { this.#list = list; }

  /** Adds an entry of a record. Unknown types are skipped. */
  add(each) {
    if (each.type === 'tool_call') this.#call(each);
    else if (each.type === 'tool_result') this.#result(each);
    else if (this.#run && (each.type === 'used' || each.type === 'permission')) this.#run.steps.append(this.#other(each));
    else {
      const node = this.#other(each);
      if (!node) return;
      this.fold(false);
      this.#run = null;
      this.#list.append(node);
    }
  }

  /** Folds the last steps, unless the agent works on them. Steps that failed stay open. */
  fold(isRunning) {
    const run = this.#run;
    if (!run) return;
    const tools = [...run.tools].map(([tool, count]) => count > 1 ? `${tool} ${count}` : tool).join(', ');
    fill(run.title, `${plural(run.count, 'step')}: ${tools}`, run.failed ? [' ', chip('failed', `${run.failed} failed`)] : null);
    if (!run.isFolded) run.element.open = isRunning || run.failed > 0 || run.count <= FEW;
    run.isFolded = !isRunning;
  }

  /** Returns the number of steps and of failures as text. */
  counts() {
    return this.#total ? plural(this.#total, 'step') + (this.#failed ? `, ${this.#failed} failed` : '') : '';
  }

  #current(time) {
    if (this.#run) return this.#run;
    const title = h('summary', {}), steps = h('ol', {class: 'talk'});
    const run = this.#run = {title, steps, element: h('details', {}, title, steps), count: 0, failed: 0, tools: new Map()};
    this.#list.append(entry('steps', time, run.element));
    return run;
  }

  #call(each) {
    const run = this.#current(each.time), args = each.arguments ?? {}, names = Object.keys(args);
    const text = names.map(name => `${name}: ${typeof args[name] === 'string' ? args[name] : JSON.stringify(args[name])}`).join('\n');
    const isWhole = !names.length || names.length === 1 && args[names[0]] === each.line;
    const result = h('span', {class: 'quiet'});
    const step = h('details', {}, h('summary', {}, h('span', {class: 'line'}, h('b', {}, each.tool), h('code', {}, each.line)), result), isWhole ? null : block(text));
    run.steps.append(entry('tool_call', each.time, step));
    run.count++;
    run.isFolded = false;
    run.tools.set(each.tool, (run.tools.get(each.tool) ?? 0) + 1);
    this.#total++;
    this.#steps.set(each.id, {step, result, run});
  }

  #result(each) {
    const {step, result, run} = this.#steps.get(each.id) ?? {};
    if (!step) {
      this.#current(each.time).steps.append(entry('tool_result', each.time,
        folded([each.failed ? chip('failed') : '→', ' ', firstLine(each.text)], each.text)));
      return;
    }
    this.#steps.delete(each.id);
    fill(result, each.failed ? chip('failed') : '→', ' ', firstLine(each.text));
    step.append(...block(each.text));
    if (each.failed) {
      step.open = true;
      run.failed++;
      this.#failed++;
      if (run === this.#run) run.isFolded = false; else run.element.open = true;
    }
  }

  #other(each) {
    const body = {
      begin: () => [h('p', {class: 'quiet'}, 'in ' + each.folder, each.branch ? ' on ' + each.branch : '', each.commit ? ' at ' + each.commit.slice(0, 10) : ''),
        folded(`The prompt, ${plural(each.length ?? each.prompt.length, 'character')}`, each.prompt + (each.length ? '\n(cut here)' : ''))],
      client: () => h('p', {class: 'quiet'}, [each.name, each.version, each.model, ...each.arguments ?? []].filter(x => x).join(' ')),
      text: () => block(each.text),
      permission: () => h('p', {}, `permission for ${each.asked}: ${each.answer}`),
      retry: () => h('p', {}, `the model failed: ${each.reason}; try ${each.attempt}`),
      used: () => h('p', {class: 'quiet'}, used(each.usage), each.model ? ' ' + each.model : ''),
      gap: () => h('p', {class: 'quiet'}, 'missing: ' + each.reason),
      end: () => h('p', {class: 'quiet'}, 'ended', each.commit ? ' at ' + each.commit.slice(0, 10) : ''),
      gate: () => {
        const title = [chip(each.passed ? 'completed' : 'failed', each.passed ? 'passed' : 'failed'), ' gate ', h('code', {}, each.name)];
        if (!each.passed) { this.#failed++; this.#total++; }
        return each.passed && each.reason ? folded(title, each.reason) : [line(title), each.reason ? block(each.reason) : null];
      },
    }[each.type];
    return body ? entry(each.type, each.time, body()) : null;
  }
}
