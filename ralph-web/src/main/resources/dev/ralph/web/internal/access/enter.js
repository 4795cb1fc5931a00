import {keyName, storedKey, storeKey} from './transport.js';

const said = document.getElementById('said');

/** Returns to the place where the page was left. */
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

/** Uses the code of a link, once a person looks at the page: a browser may load it in advance. */
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
addEventListener('hashchange', follow); // A new link, opened in the tab of an old one.
addEventListener('storage', event => { if (event.key === keyName && event.newValue) goBack(); });

if (location.hash.startsWith('#code=')) follow();
else if (storedKey()) goBack();
