// Does five daily jobs of a person in the web interface of opencode, and prints clicks and times for a
// comparison with PageJobsTest. A scripted model answers. Each job begins on the first page; text that a
// person types is not counted. Needs Git, Node.js 20 or later, opencode and Chromium's driver:
//
//   RALPH_OPENCODE=$(command -v opencode) RALPH_CHROMEDRIVER=$(command -v chromedriver) node benchmarks/opencode-jobs.mjs
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const PATIENCE = 60000;
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const pause = ms => new Promise(done => setTimeout(done, ms));

/** Calls a function until it returns a value, and returns the value. */
async function until(what, work) {
  for (const end = Date.now() + PATIENCE; ; await pause(20)) {
    let failure;
    try {
      const value = await work();
      if (value) return value;
    } catch (e) { failure = e; }
    if (Date.now() > end) throw new Error('not within a minute: ' + what, {cause: failure});
  }
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise(done => server.once('listening', done));
  const {port} = server.address();
  await new Promise(done => server.close(done));
  return port;
}

async function json(address, body, method = body ? 'POST' : 'GET', limit = PATIENCE) {
  const signal = AbortSignal.timeout(limit);
  const response = await fetch(address, {signal, method, headers: {'Content-Type': 'application/json'}, body: body && JSON.stringify(body)});
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text.slice(0, 300)}`);
  return text ? JSON.parse(text) : null;
}

// ---- model

const QUESTION = {questions: [{question: 'Which port?', header: 'Port', options: [{label: '80', description: 'HTTP'}, {label: '8080', description: 'other'}]}]};
const GATE = {command: 'echo LoginTest.empty: expected 400; exit 1', description: 'Run the tests'};

/** Returns the reply to a conversation: a call of a tool once, then a text. */
function reply({messages, tools}) {
  const last = messages.at(-1), text = JSON.stringify(last.content);
  if (last.role !== 'user' || !tools?.length) return {content: 'Done.'};
  const [name, args] = text.includes('ask me') ? ['question', QUESTION] : text.includes('gate') ? ['bash', GATE] : [];
  return name ? {tool_calls: [{index: 0, id: 'call' + messages.length, type: 'function', function: {name, arguments: JSON.stringify(args)}}]} : {content: 'Done.'};
}

async function answer(request, response) {
  let body = '';
  for await (const piece of request) body += piece;
  const delta = {role: 'assistant', ...reply(JSON.parse(body))};
  const chunk = (delta, finish_reason) => `data: ${JSON.stringify({id: 'x', object: 'chat.completion.chunk', created: 1, model: 'model',
    choices: [{index: 0, delta, finish_reason}], usage: finish_reason && {prompt_tokens: 10, completion_tokens: 5, total_tokens: 15}})}\n\n`;
  response.writeHead(200, {'Content-Type': 'text/event-stream'});
  response.end(chunk(delta, null) + chunk({}, delta.tool_calls ? 'tool_calls' : 'stop') + 'data: [DONE]\n\n');
}

// ---- programs

const root = mkdtempSync(join(tmpdir(), 'opencode-jobs-'));
const running = [];

function start(program, words, options) {
  const child = spawn(program, words, {stdio: 'ignore', ...options});
  running.push(child);
  return child;
}

async function startOpencode(model) {
  const project = join(root, 'project'), env = {...process.env, HOME: root};
  mkdirSync(project);
  for (const kind of ['CONFIG', 'DATA', 'STATE', 'CACHE']) env[`XDG_${kind}_HOME`] = join(root, kind.toLowerCase());
  Object.assign(env, {OPENCODE_CONFIG: join(root, 'opencode.json'), OPENCODE_PURE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1'});
  writeFileSync(env.OPENCODE_CONFIG, JSON.stringify({model: 'scripted/model', small_model: 'scripted/model', permission: 'allow', autoupdate: false, share: 'disabled',
    provider: {scripted: {npm: '@ai-sdk/openai-compatible', name: 'Scripted', options: {baseURL: `http://127.0.0.1:${model}/v1`, apiKey: 'none'},
      models: {model: {name: 'model', tool_call: true, limit: {context: 100000, output: 8000}}}}}}));
  const git = (...words) => execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...words], {cwd: project});
  git('init', '-q', '-b', 'main');
  writeFileSync(join(project, 'Form.java'), 'class Form {\n  int port = 80;\n}\n');
  git('add', '.');
  git('commit', '-q', '-m', 'Begin');
  writeFileSync(join(project, 'Form.java'), 'class Form {\n  int port = 8080;\n}\n');
  const port = await freePort();
  start(process.env.RALPH_OPENCODE, ['serve', '--port', String(port)], {cwd: project, env});
  const base = `http://127.0.0.1:${port}`;
  await until('opencode', () => json(base + '/session', undefined, 'GET', 5000)); // its first answer may get lost
  return {base, project};
}

class Browser {
  static async open() {
    const port = await freePort(), made = new Browser();
    start(process.env.RALPH_CHROMEDRIVER, ['--port=' + port]);
    made.base = `http://127.0.0.1:${port}`;
    await until('chromedriver', () => json(made.base + '/status'));
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1440,900', '--lang=en-GB'];
    const {value} = await json(made.base + '/session', {capabilities: {alwaysMatch: {'goog:chromeOptions': {args}}}});
    made.base += '/session/' + value.sessionId;
    return made;
  }
  script(script, ...args) { return json(this.base + '/execute/sync', {script, args}).then(got => got.value); }
  go(url) { return json(this.base + '/url', {url}); }
  shows(text) { return until('text ' + text, () => this.script('return document.body.innerText.includes(arguments[0])', text)); }

  /** Returns whether an XPath expression has a visible element. */
  has(xpath) {
    return this.script(`const all = document.evaluate(arguments[0], document, null, 7);
      for (let i = 0; i < all.snapshotLength; i++) if (all.snapshotItem(i).getClientRects().length) return true; return false`, xpath);
  }
  find(xpath) { return until(xpath, () => this.has(xpath)); }

  /** Clicks on the first visible element of an XPath expression. */
  async click(xpath) {
    clicks++;
    await until(xpath, async () => {
      const {value} = await json(this.base + '/elements', {using: 'xpath', value: xpath});
      for (const each of value) {
        try { await json(`${this.base}/element/${each[ELEMENT]}/click`, {}); return true; } catch { /* hidden */ }
      }
      return false;
    });
  }

  /** Clicks at the middle of the element that an expression returns, which may be in a shadow tree. */
  async clickAt(expression) {
    clicks++;
    const [x, y] = await until(expression, () => this.script(`const found = ${expression}; if (!found) return null;
      const box = found.getBoundingClientRect(); return box.width ? [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)] : null`));
    const actions = [{type: 'pointerMove', x, y}, {type: 'pointerDown', button: 0}, {type: 'pointerUp', button: 0}];
    await json(this.base + '/actions', {actions: [{type: 'pointer', id: 'mouse', parameters: {pointerType: 'mouse'}, actions}]});
  }
  async keys(text) {
    const actions = [...text].flatMap(value => [{type: 'keyDown', value}, {type: 'keyUp', value}]);
    await json(this.base + '/actions', {actions: [{type: 'key', id: 'keyboard', actions}]});
  }
  close() { return json(this.base, undefined, 'DELETE'); }
}

// ---- jobs

let clicks = 0;

/** The number of the changed line in the new file of the shown differences. */
const LINE = `[...document.querySelectorAll('*')].filter(each => each.shadowRoot).flatMap(each => [...each.shadowRoot.querySelectorAll('[data-column-number="2"]')]).at(-1)`;

const PROMPT = "//*[@data-component='prompt-input']", SEND = "//button[@data-action='prompt-submit' and @aria-label='Send' and not(@disabled)]";

/** Sends the text of the prompt. A click that the page ignores while it is drawn is repeated, and counted once. */
async function send(browser) {
  const before = clicks + 1;
  await until('a sent message', async () => {
    await browser.click(SEND);
    for (let i = 0; i < 100; i++, await pause(20)) if (await browser.has(SEND) === false) return true;
    return false;
  });
  clicks = before;
}

async function jobs(browser, {base, project}) {
  const query = '?directory=' + encodeURIComponent(project);
  const session = await json(`${base}/session${query}`, {title: 'auth'});
  const idle = () => until('an idle session', async () => !(await json(`${base}/session/status${query}`))[session.id]);
  const say = text => json(`${base}/session/${session.id}/prompt_async${query}`, {parts: [{type: 'text', text}]});
  await browser.go(`${base}/server/${Buffer.from(base).toString('base64url')}/session/${session.id}`); // opens a tab
  await browser.find(PROMPT);

  /** Does a job from the first page: the first click opens the session. */
  async function job(name, work) {
    await browser.go(base);
    await browser.find("//*[normalize-space(text())='auth']");
    await pause(2000);
    clicks = 0;
    const begun = performance.now();
    await browser.click("//*[normalize-space(text())='auth']");
    await browser.find("//*[@data-component='prompt-input' or @data-slot='question-text']");
    await work();
    console.log(`${name}: ${clicks} clicks, ${Math.round(performance.now() - begun)} ms`);
    await idle();
  }

  await say('ask me');
  await job('answer a question', async () => {
    await browser.click("//button[.//span[text()='80']]");
    await browser.click("//button[normalize-space()='Submit']");
    await browser.shows('1 answered');
  });

  await say('gate');
  await idle();
  await job('find a failing gate', async () => {
    await browser.click("//*[normalize-space(text())='Shell']");
    await browser.shows('LoginTest.empty: expected 400\n');
  });

  await job('comment on a change', async () => {
    await browser.click("//button[@aria-label='Toggle review']");
    await browser.clickAt(LINE);
    await browser.find('//textarea');
    await browser.keys('Read the port from the settings');
    await browser.click("//button[normalize-space()='Comment']");
    await send(browser);
  });

  for (const [name, text] of [['send a message', 'Do the API first'], ['continue after an end', 'continue']]) {
    await job(name, async () => {
      await browser.click(PROMPT);
      await browser.keys(text);
      await send(browser);
    });
  }
}

const model = http.createServer(answer).listen(0, '127.0.0.1');
await new Promise(done => model.once('listening', done));
let browser;
try {
  const opencode = await startOpencode(model.address().port);
  browser = await Browser.open();
  await jobs(browser, opencode);
} catch (e) {
  console.error(e);
  process.exitCode = 1;
} finally {
  await browser?.close().catch(() => {});
  for (const child of running) {
    const ended = new Promise(done => child.once('exit', done));
    if (child.kill('SIGKILL')) await ended;
  }
  model.close();
  model.closeAllConnections();
  rmSync(root, {recursive: true, force: true, maxRetries: 10, retryDelay: 200});
}
