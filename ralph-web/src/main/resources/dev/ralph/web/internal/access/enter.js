'use strict';

const said = document.getElementById('said');

async function enter(token) {
  said.textContent = '';
  try {
    const response = await fetch('enter', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    if (response.ok) {
      location.replace('./' + (sessionStorage.getItem('ralph.at') ?? '')); // Where the page was left.
      return;
    }
    said.textContent = (await response.json()).error.message;
  } catch (e) {
    said.textContent = 'The server does not answer.';
  }
}

document.getElementById('enter').addEventListener('submit', event => {
  event.preventDefault();
  enter(document.getElementById('token').value.trim().replace(/^.*#token=/, ''));
});

const link = location.hash.match(/^#token=(.+)$/);
if (link) {
  history.replaceState(null, '', location.pathname); // Not to be read over a shoulder, nor kept.
  enter(link[1]);
}
