// Drafts: text that was typed but not sent. A draft belongs to the tab and survives a reload.

const PREFIX = 'ralph.draft ' + new URL('.', location.href).pathname + ' ';

/** Without storage, drafts last as long as the page. */
const memory = new Map();

function get(key) {
  try { return sessionStorage.getItem(PREFIX + key); } catch { return memory.get(key) ?? null; }
}

function set(key, value) {
  try {
    if (value) sessionStorage.setItem(PREFIX + key, value); else sessionStorage.removeItem(PREFIX + key);
  } catch { memory.set(key, value); }
}

/** Fills a field with its draft, and stores later input as the draft. */
export function keep(field, key) {
  const draft = get(key);
  if (draft != null && field.type === 'checkbox') field.checked = true;
  else if (draft != null) field.value = draft;
  field.addEventListener('input', () => set(key, field.type === 'checkbox' ? field.checked ? 'on' : '' : field.value));
  field.draft = key;
  return field;
}

/** Removes the draft of a field or a key. */
export const forget = field => set(field.draft ?? field, '');

/** Returns the rest of each key that starts with a prefix. */
export function draftsOf(begin) {
  let keys = [...memory.keys()];
  try { keys = Object.keys(sessionStorage).filter(key => key.startsWith(PREFIX)).map(key => key.slice(PREFIX.length)); } catch { /* no storage */ }
  return keys.filter(key => key.startsWith(begin)).map(key => key.slice(begin.length));
}
