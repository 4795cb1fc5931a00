import {keyName, storedKey, storeKey} from './transport.js';

const said = document.getElementById('said');

/** Returns to the last position on the page. */
const goBack = () => location.replace('./' + (sessionStorage.getItem('ralph.at') ?? ''));

/** Exchanges a code or a token for a key. */
async function enter(token) {
  said.textContent = '';
  try {
    const response = await fetch('enter', {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({token}),
      redirect: 'error',
    });
    const answer = await response.json();
    if (response.ok) {
      storeKey(answer.key);
      goBack();
    } else {
      said.textContent = answer.error.message;
    }
  } catch (e) {
    said.textContent = e instanceof DOMException
      ? 'This browser stores nothing for this page. Allow it to store data.'
      : 'The server does not answer. Try again when it runs.';
  }
}

/**
 * Uses the code of a link when the page becomes visible, because a browser may prerender the page.
 */
function follow() {
  if (document.prerendering || document.visibilityState !== 'visible') return;
  const link = location.hash.match(/^#code=(.+)$/);
  if (!link) return;
  history.replaceState(null, '', location.pathname);
  enter(link[1]);
}

document.getElementById('enter').addEventListener('submit', event => {
  event.preventDefault();
  enter(document.getElementById('token').value.trim().replace(/^.*#code=/, ''));
});

document.addEventListener('prerenderingchange', follow);
document.addEventListener('visibilitychange', follow);
addEventListener('hashchange', follow); // a new link in the tab of an old link
addEventListener('storage', event => { if (event.key === keyName && event.newValue) goBack(); });

if (location.hash.startsWith('#code=')) follow();
else if (storedKey()) goBack();
