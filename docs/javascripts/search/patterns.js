// Patterns as Python uses them: `search`, `match` at the start, `fullmatch`, `findall`, `sub`.
export class Pattern {
  constructor([source, flags]) {
    this.anywhere = new RegExp(source, flags);
    this.all = new RegExp(source, `${flags}g`);
    this.start = new RegExp(`^(?:${source})`, flags);
    this.whole = new RegExp(`^(?:${source})$`, flags);
  }

  search(text) {
    return this.anywhere.exec(text);
  }

  match(text) {
    return this.start.exec(text);
  }

  fullmatch(text) {
    return this.whole.test(text);
  }

  findall(text) {
    return [...text.matchAll(this.all)];
  }

  sub(replacement, text) {
    return text.replace(this.all, replacement);
  }
}

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`, "gu");
const LEADING = new RegExp(`^[${SPACE}]+`, "u");
const TRAILING = new RegExp(`[${SPACE}]+$`, "u");

const NO_SPACE = new RegExp(`[^${SPACE}]`, "u");

// What Python's `isspace`, `split`, `lstrip` and `rstrip` do, whose blanks are not JavaScript's.
export const isBlank = (text) => !NO_SPACE.test(text);
export const split = (text) => text.replace(SPACES, " ").split(" ").filter(Boolean);
export const lstrip = (text) => text.replace(LEADING, "");
export const rstrip = (text) => (/[^\x21-\x7e]$/.test(text) ? text.replace(TRAILING, "") : text);

// Characters as Python counts them.
export const size = (text) => (/[\ud800-\udfff]/.test(text) ? [...text].length : text.length);
