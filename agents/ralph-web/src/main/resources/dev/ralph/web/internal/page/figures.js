// Formats times, durations, money and tokens as text.

import {h, quiet} from './dom.js';

let skew = 0; // how far the server's clock is ahead of this clock, in ms
export const setServerTime = time => { skew = Date.parse(time) - Date.now(); };
export const serverNow = () => Date.now() + skew;

export function took(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return s + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min ' + s % 60 + ' s';
  return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
}

export function ago(time) {
  const s = Math.max(0, (serverNow() - Date.parse(time)) / 1000);
  if (s < 5) return 'just now';
  if (s < 90) return Math.round(s) + ' s ago';
  if (s < 5400) return Math.round(s / 60) + ' min ago';
  if (s < 129600) return Math.round(s / 3600) + ' h ago';
  return Math.round(s / 86400) + ' days ago';
}

export const clock = time => new Date(time).toLocaleTimeString([], {timeStyle: 'medium', hourCycle: 'h23'});
export const date = time => new Date(time).toLocaleString([], {dateStyle: 'medium', timeStyle: 'medium'});

/** Joins parts with dots. */
export const dots = (...parts) => parts.flat().filter(x => x).flatMap((part, i) => i ? [' · ', part] : [part]);

export const ticks = {
  ago,
  since: time => took(serverNow() - Date.parse(time)),
  left: time => took(Date.parse(time) - serverNow()) + ' more',
};

/** A time whose text is updated every second: the time since an event, or until its end. */
export const ticking = (time, how) => h('time', {datetime: time, 'data-how': how, title: date(time)}, ticks[how](time));

export const dollars = usd => usd >= 0.01 || usd === 0 ? '$' + usd.toFixed(2) : '$' + usd.toPrecision(2);

export function count(n) {
  if (n < 1000) return String(n);
  return n < 999500 ? (n / 1e3).toPrecision(3) + ' k' : (n / 1e6).toLocaleString('en', {maximumSignificantDigits: 3}) + ' M';
}

export const tokensOf = usage => (usage.input_tokens ?? 0) + (usage.cached_tokens ?? 0) + (usage.output_tokens ?? 0);

/** Shows usage. Only estimates and unknown figures are marked. */
export function used(usage) {
  if (!usage) return quiet('usage not reported');
  const tokens = tokensOf(usage);
  const known = [usage.cost_usd == null ? null : dollars(Number(usage.cost_usd)),
    tokens ? count(tokens) + ' tokens' : null].filter(x => x).join(' · ');
  const mark = !known ? 'unknown' : usage.estimated ? 'estimated' : null;
  return h('span', {class: 'used'}, known || '?', usage.partial && known ? ' or more' : '',
    mark ? [' ', h('span', {class: 'mark'}, mark)] : null);
}
