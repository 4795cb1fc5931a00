// Requests and event streams of the page, with the key that the server gave to this browser.

// Unlike cookies, storage is separate for each port. The server may be mounted below a path.
const KEY = 'ralph.key ' + new URL('.', location.href).pathname;

export const keyName = KEY;
export const storedKey = () => localStorage.getItem(KEY);
export const storeKey = key => localStorage.setItem(KEY, key);

/**
 * Longest silence of a stream, and longest wait for a response, in ms. The server sends a heartbeat
 * every 3 s.
 */
const SILENCE = 8000;
const RETRY = 1000;

/**
 * Sends a request with the key. Redirects are errors, because they would send the key to another
 * address.
 */
async function send(path, options = {}) {
  const key = storedKey();
  const headers = {...options.headers};
  if (key) headers.Authorization = 'Bearer ' + key;
  const response = await fetch('api/' + path, {...options, headers, redirect: 'error', cache: 'no-store'});
  if (response.status === 401) signOut(key);
  return response;
}

/** Removes a key that the server refused, and shows the form for another key. */
function signOut(key) {
  sessionStorage.setItem('ralph.at', location.hash);
  if (!key) {
    location.replace('enter');
  } else {
    if (storedKey() === key) localStorage.removeItem(KEY);
    location.reload(); // Another tab may have stored a newer key, or a cookie may be valid.
  }
}

const reasonOf = async response =>
  (await response.json().catch(() => ({}))).error?.message ?? 'the server answered ' + response.status;

/**
 * Returns the server's response to a GET, or to a POST of an order. Throws an Error with the
 * server's message.
 */
export async function ask(path, order) {
  const signal = AbortSignal.timeout(SILENCE);
  try {
    const response = await send(path, order ? {
      signal, method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(order)} : {signal});
    if (!response.ok) throw new Error(await reasonOf(response));
    return await response.json();
  } catch (e) {
    if (signal.aborted) {
      throw new Error(`The server did not answer within ${SILENCE / 1000} s. `
        + (order ? 'It may have received this; look before you send it again.' : 'Try again.'));
    }
    if (e instanceof TypeError) throw new Error('The server cannot be reached. Try again when it runs.');
    throw e;
  }
}

/**
 * Reads an event stream after an id until it is closed, and reconnects when it is lost. Calls
 * on.open(), on.heard() for each heartbeat or data, on.event(kind, data, id) and on.lost(reason).
 */
export function events(path, on, lastId = null) {
  let closed = false, connection, retry;

  async function connect() {
    const mine = connection = new AbortController();
    let watch;
    const heard = () => {
      clearTimeout(watch);
      watch = setTimeout(() => mine.abort(), SILENCE);
    };
    let reason = 'the server cannot be reached';
    try {
      heard();
      const response = await send(path, {
        signal: mine.signal, headers: lastId == null ? {} : {'Last-Event-ID': lastId}});
      if (response.ok) {
        if (!closed) on.open();
        await read(response.body, () => { heard(); if (!closed) on.heard(); }, (kind, data, id) => {
          if (id != null) lastId = id;
          if (!closed) on.event(kind, data, id);
        });
      } else {
        reason = await reasonOf(response);
      }
    } catch (e) {
      if (mine.signal.aborted) reason = 'the server does not answer';
      else if (!(e instanceof TypeError)) console.error(e);
    }
    clearTimeout(watch);
    if (closed) return;
    on.lost(reason);
    retry = setTimeout(connect, RETRY);
  }

  connect();
  return {
    close() {
      closed = true;
      clearTimeout(retry);
      connection.abort();
    },
  };
}

/** Parses a stream of server-sent events. */
async function read(body, heard, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    heard();
    rest += value;
    let begin = 0;
    for (let end; (end = rest.indexOf('\n\n', begin)) >= 0; begin = end + 2) event(rest.slice(begin, end), take);
    rest = rest.slice(begin);
  }
}

function event(block, take) {
  let kind = 'message', id = null;
  const data = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('data: ')) data.push(line.slice(6));
    else if (line.startsWith('event: ')) kind = line.slice(7);
    else if (line.startsWith('id: ')) id = line.slice(4);
  }
  if (data.length) take(kind, data.join('\n'), id);
}
