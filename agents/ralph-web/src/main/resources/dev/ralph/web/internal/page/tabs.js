// One event stream for all tabs, because a browser opens at most six connections to a server. The
// leading tab holds a lock and the stream, and broadcasts events. When it closes, the next tab
// leads.

import {events} from './transport.js';

const NAME = 'ralph.feeds ' + new URL('.', location.href).pathname;

/** Longest silence of the leading tab before a visible tab takes over, in ms. */
const SILENCE = 8000;

/** Least time between two heartbeats of the leading tab, and between two roll calls, in ms. */
const BEAT = 1000, ROLL = 60000;

const MOST_FEEDS = 40;
const tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
const isVisible = () => document.visibilityState === 'visible';

let isShared = !!navigator.locks; // only a secure context has locks
let present = null; // the feed of this tab, with the functions that show it
let stream = null; // the stream of this tab
let heardAt = Date.now();

/**
 * Shows a feed. Calls on.state(text), on.hello(hello), on.arrived(update) for each update as it
 * arrives, on.update(update) and on.refused(reason).
 */
export function watch(feed, on) {
  present = {feed, on};
  if (!isShared) { alone(feed); return; }
  want();
  readEarly();
}

/** Shows no feed. */
export function unwatch() {
  present = null;
  endEarly();
  if (wants) wanted(tab, null);
  else if (isShared) post({type: 'leave', tab});
  else alone(null);
}

/** Processes a message of the stream of all tabs. */
function take(message) {
  heardAt = Date.now();
  show(message);
}

/** Shows a message of a stream. */
function show(message) {
  const on = present?.on;
  if (!on) return;
  if (message.type === 'state') on.state(message.text);
  else if (message.type === 'hello') on.hello(JSON.parse(message.data));
  else if (message.feed !== present.feed) return;
  else if (message.type === 'update') update(JSON.parse(message.data));
  else if (message.type === 'refused') on.refused(message.reason);
}

// A hidden tab shows its updates together, so that many open tabs leave the processor to others.
const HOLD = 500;
let held = null, heldFeed = null, heldTimer = null;

function update(next) {
  present.on.arrived(next);
  held = held && heldFeed === present.feed ? merge(held, next) : next;
  heldFeed = present.feed;
  if (isVisible()) release(); else heldTimer ??= setTimeout(release, HOLD);
}

function release() {
  clearTimeout(heldTimer);
  heldTimer = null;
  const last = held;
  held = null;
  if (last && present?.feed === heldFeed) present.on.update(last);
}

/** Returns one update with the content of two. */
const merge = (first, second) => ({
  ...first, ...second,
  problem: second.problem,
  anew: first.anew || second.anew,
  parts: {...first.parts, ...second.parts},
  said: second.anew ? second.said : [...first.said, ...second.said],
});

/** A stream of several feeds, whose messages are passed to a function. */
class Stream {
  #send; #source;
  #feeds = '';
  #lastId = ''; // for each feed: its name, '=' and the id of its last frame
  #isOpening = false;
  #next = null;

  constructor(send) { this.#send = send; }

  /** Passes later messages to another function. */
  sendTo(send) { this.#send = send; }

  /** Reads feeds. A feed added for a new tab is sent as a whole. */
  read(feeds, added) {
    this.#lastId = this.#lastId.split(';')
      .filter(each => feeds.includes(each.split('=')[0]) && !each.startsWith(added + '=')).join(';');
    // Many tabs opened at once cause two connections, not a connection for each tab.
    if (this.#isOpening && this.#source) this.#next = feeds; else this.#open(feeds);
  }

  #open(feeds) {
    this.close();
    if (!feeds.length) return;
    const send = message => this.#send(message);
    this.#isOpening = true;
    const opened = () => {
      this.#isOpening = false;
      if (this.#next) this.#open(this.#next);
    };
    this.#source = events('feeds?names=' + feeds.map(encodeURIComponent).map(encodeURIComponent).join(','), {
      open: () => { send({type: 'state', text: 'live'}); opened(); },
      heard: () => send({type: 'beat'}),
      lost: reason => { send({type: 'state', text: `not connected (${reason}); trying again`}); opened(); },
      event: (kind, data, id) => {
        if (id != null) this.#lastId = id;
        if (kind === 'hello') send({type: 'hello', data});
        else if (kind.startsWith('feed ')) send({type: 'update', feed: kind.slice(5), data});
        else if (kind === 'refused') send({type: 'refused', feed: JSON.parse(data).feed, reason: JSON.parse(data).message});
      },
    }, this.#lastId || null);
  }

  close() {
    this.#source?.close();
    this.#source = this.#next = null;
    this.#isOpening = false;
  }
}

// ---- without locks: each visible tab has a separate stream

function alone(added) {
  stream ??= new Stream(take);
  if (present && isVisible()) stream.read([present.feed], added); else stream.close();
}

// ---- with locks: the leading tab has the stream

const channel = isShared ? new BroadcastChannel(NAME) : null;
const post = message => channel.postMessage(message);

let wants = null; // in the leading tab: the feed of each tab, and the time of its request
let beatAt = 0, rolledAt = 0, isQueued = false;

/** The stream of a new tab that has not heard of a leading tab yet. */
let early = null, hasLeader = false;

/** Reads the feed of a new visible tab at once, because a lock is granted later than a stream. */
function readEarly() {
  if (hasLeader || !isVisible()) return;
  early ??= new Stream(show);
  early.read([present.feed], present.feed);
}

function endEarly() {
  early?.close();
  early = null;
}

/** Requests the feed of this tab from the leading tab. */
function want() {
  if (!present) return;
  if (wants) wanted(tab, present.feed); else post({type: 'want', tab, feed: present.feed});
}

/** Reads the feed that a tab has requested. */
function wanted(by, feed) {
  const isKnown = wants.get(by)?.feed === feed;
  wants.delete(by);
  if (feed != null) wants.set(by, {feed, at: Date.now()});
  if (!isKnown) readAll(feed);
}

function readAll(added) {
  const feeds = [...new Set([...wants.values()].map(each => each.feed))].slice(-MOST_FEEDS);
  stream.read(feeds, added);
}

/** Sends a message of the stream to all tabs. */
function broadcast(message) {
  const now = Date.now();
  if (message.type === 'beat') {
    if (now - beatAt < BEAT) return;
    if (now - rolledAt > ROLL) roll(now);
  }
  beatAt = now;
  post(message);
  take(message);
}

/**
 * Asks the tabs for their feeds, and removes tabs that did not respond to the previous roll call.
 */
function roll(now) {
  for (const [by, each] of wants) if (by !== tab && now - each.at > 2.5 * ROLL) wants.delete(by);
  rolledAt = now;
  post({type: 'roll'});
}

/** Leads until the page is closed or another tab steals the lock. */
function lead() {
  if (wants) return new Promise(() => {});
  hasLeader = true;
  wants = new Map();
  if (early) {
    stream = early;
    stream.sendTo(broadcast);
    early = null;
    wants.set(tab, {feed: present.feed, at: Date.now()});
  } else {
    stream = new Stream(broadcast);
    want();
  }
  roll(Date.now());
  return new Promise(() => {});
}

function lost(error) {
  endEarly();
  stream?.close();
  stream = wants = null;
  if (error.name === 'AbortError') {
    heardAt = Date.now();
    queue();
    want();
  } else {
    isShared = false; // such as a page without storage
    alone(present?.feed);
  }
}

function queue() {
  if (isQueued) return;
  isQueued = true;
  navigator.locks.request(NAME, () => {
    isQueued = false;
    return lead();
  }).catch(lost);
}

if (isShared) {
  channel.onmessage = ({data}) => {
    if (!isShared) return;
    if (data.type === 'want') { if (wants) wanted(data.tab, data.feed); }
    else if (data.type === 'leave') { if (wants?.has(data.tab)) wanted(data.tab, null); }
    else {
      hasLeader = true;
      endEarly();
      if (data.type === 'roll') { heardAt = Date.now(); want(); }
      else if (!wants) take(data);
    }
  };
  addEventListener('pagehide', () => post({type: 'leave', tab}));
  addEventListener('pageshow', event => { if (event.persisted) want(); });
  queue();
  setInterval(() => {
    if (wants || !present || !isShared || !isVisible() || Date.now() - heardAt < SILENCE) return;
    heardAt = Date.now();
    present.on.state('not connected; trying again');
    navigator.locks.request(NAME, {steal: true}, lead).catch(lost);
  }, 1000);
}

addEventListener('visibilitychange', () => {
  if (isVisible()) release();
  if (!isShared) alone(null);
  else if (isVisible()) { heardAt = Math.max(heardAt, Date.now() - SILENCE + 3 * BEAT); want(); }
});
