// What the theme's own script expects to find; in a file, since no inline script is allowed.
/* exported __md_scope, __md_get, __md_set, __md_hash */
var __md_scope = new URL("..", document.currentScript.src);
var __md_hash = (text) => [...text].reduce((sum, one) => (sum << 5) - sum + one.charCodeAt(0), 0);
var __md_get = (key, storage = localStorage, scope = __md_scope) => {
  try {
    return JSON.parse(storage.getItem(`${scope.pathname}.${key}`));
  } catch {
    return null; // storage is switched off, or holds something else
  }
};
var __md_set = (key, value, storage = localStorage, scope = __md_scope) => {
  try {
    storage.setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch {
    // storage is switched off: the choice holds for this page
  }
};
