// Runs the unit tests of the page's modules in the browser, in their order.

const tests = [];

/** Adds a test. A body that throws, or returns a rejected promise, fails. */
export const test = (name, body) => tests.push({name, body});

/** Throws an error unless both values have the same JSON. */
export function equal(actual, expected) {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== e) throw new Error(`expected ${e}, was ${a}`);
}

/** Replaces the functions of the network by a function from the path and the order to the answer. */
export function serve(answer) {
  window.asked = [];
  window.fetch = async (path, options) => {
    const order = options.body ? JSON.parse(options.body) : null;
    window.asked.push(order ? {path, order} : {path});
    return new Response(JSON.stringify(await answer(path, order)), {status: 200});
  };
}

/** Waits until a condition is true, at most ten seconds. */
export async function until(condition) {
  for (let i = 0; !condition(); i++) {
    if (i === 1000) throw new Error('not within 10 s: ' + condition);
    await new Promise(done => setTimeout(done, 10));
  }
}

/** Runs all tests, and stores the results in window.results. */
export async function run() {
  const results = [];
  for (const {name, body} of tests) {
    let error = null;
    try { await body(); } catch (e) { error = String(e?.stack ?? e); }
    results.push({name, error});
  }
  window.results = results;
}
