// A past moment of a session.

import {h, fill, button} from './dom.js';
import {date, serverNow} from './figures.js';
import {field} from './forms.js';
import {ask} from './transport.js';
import {here, show, view} from './state.js';
import {tell} from './frame.js';

const STEPS = 1000;

export function lookBack() {
  const range = h('input', {type: 'range', min: '0', max: String(STEPS), value: String(STEPS)});
  const shown = h('output', {}, 'now');
  const back = button('Back to now', 'now', () => { range.value = STEPS; leavePast(); }, {hidden: true});
  let span, timer;
  const leavePast = () => {
    view.past = null;
    clearTimeout(timer);
    fill(shown, 'now');
    range.setAttribute('aria-valuetext', 'now');
    back.hidden = true;
    document.body.classList.remove('past');
    for (const [part, value] of Object.entries(view.parts)) show[part]?.(value);
  };
  range.addEventListener('input', async () => {
    if (Number(range.value) === STEPS) { leavePast(); return; }
    try {
      span ??= Date.parse((await ask(`${here()}span`)).first);
    } catch (e) { tell(e.message, true); return; }
    const time = new Date(span + (serverNow() - span) * range.value / STEPS);
    fill(shown, date(time));
    range.setAttribute('aria-valuetext', date(time));
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const name = view.name;
      try {
        const past = await ask(`${here()}at?time=${time.toISOString()}`);
        if (view.name !== name || Number(range.value) === STEPS) return;
        view.past = time;
        back.hidden = false;
        document.body.classList.add('past');
        for (const [part, value] of Object.entries(past.parts)) show[part]?.(value);
      } catch (e) { tell(e.message, true); }
    }, 150);
  });
  return h('div', {class: 'back'}, field('Look back', range), shown, back);
}
