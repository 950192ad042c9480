// Line templates with holes, matched in time linear in the line's length (records/templates.py, records/holes.py).
//
// reach[k][i] says whether parts k and later match from place i on. A hole takes as much as it can, {any} as little.
const HOLES = {
  int: { takes: /[0-9]/u, prefix: "-" },
  hex: { takes: /[0-9a-fA-F]/u, prefix: "0x" },
  path: { takes: /[^\s"'<>|]/u, prefix: "" },
  word: { takes: /\S/u, prefix: "" },
  any: { takes: null, prefix: "" },
};
const TOKEN = /\{\{|\}\}|\{(?:([a-z][a-z0-9_]*):)?([a-z]+)\}|[^{}]+/g;
const parsed = new Map();

export function parse(source) {
  let parts = parsed.get(source);
  if (!parts) parsed.set(source, (parts = read(source)));
  return parts;
}

function read(source) {
  const parts = [];
  let literal = "";
  for (const [text, name, kind] of source.split(/\s+/).filter(Boolean).join(" ").matchAll(TOKEN)) {
    if (kind === undefined) {
      literal += { "{{": "{", "}}": "}" }[text] ?? text;
      continue;
    }
    if (literal) parts.push({ literal });
    literal = "";
    parts.push({ hole: HOLES[kind], name: name ?? null });
  }
  if (literal) parts.push({ literal });
  return parts;
}

// The values of the named holes, or null when the template stands nowhere in the line, whose blanks are one each.
export function find(source, line) {
  const parts = parse(source);
  if (!parts.every(({ literal }) => !literal || line.includes(literal))) return null;
  if (parts.length === 1) return edgesMeet(parts[0].literal, line) ? {} : null;
  const edges = edgesOf(line);
  const reach = [edges];
  for (const part of [...parts].reverse()) reach.unshift(before(part, line, reach[0]));
  let at = reach[0].findIndex((can, place) => can && edges[place]);
  if (at < 0) return null;
  const values = {};
  parts.forEach((part, place) => {
    const end = part.literal ? at + part.literal.length : endOf(part.hole, line, at, reach[place + 1]);
    if (part.name) values[part.name] = line.slice(at, end);
    at = end;
  });
  return values;
}

// A match may begin and end everywhere but between two digits.
const splitsNumber = (line, place) => isDigit(line.charCodeAt(place - 1)) && isDigit(line.charCodeAt(place));
const isDigit = (code) => code >= 48 && code <= 57;

function edgesMeet(literal, line) {
  for (let at = line.indexOf(literal); at >= 0; at = line.indexOf(literal, at + 1)) {
    if (!splitsNumber(line, at) && !splitsNumber(line, at + literal.length)) return true;
  }
  return false;
}

function edgesOf(line) {
  return Uint8Array.from({ length: line.length + 1 }, (_, place) => (splitsNumber(line, place) ? 0 : 1));
}

function before({ literal, hole }, line, after) {
  const can = new Uint8Array(line.length + 1);
  if (literal) {
    for (let at = line.indexOf(literal); at >= 0; at = line.indexOf(literal, at + 1)) can[at] = after[at + literal.length];
  } else if (!hole.takes) {
    can.fill(1, 0, Math.max(0, after.lastIndexOf(1)));
  } else {
    for (let at = line.length - 1; at >= 0; at -= 1) {
      can[at] = hole.takes.test(line[at]) && (after[at + 1] || can[at + 1]) ? 1 : 0;
    }
    withPrefix(hole.prefix, line, can);
  }
  return can;
}

function withPrefix(prefix, line, can) {
  if (!prefix) return;
  const plain = can.slice();
  for (let at = line.indexOf(prefix); at >= 0; at = line.indexOf(prefix, at + 1)) {
    if (plain[at + prefix.length]) can[at] = 1;
  }
}

function endOf(hole, line, start, after) {
  if (!hole.takes) return after.indexOf(1, start + 1);
  if (hole.prefix && line.startsWith(hole.prefix, start)) {
    const end = longest(hole, line, start + hole.prefix.length, after);
    if (end !== null) return end;
  }
  return longest(hole, line, start, after);
}

function longest(hole, line, start, after) {
  let end = start;
  while (end < line.length && hole.takes.test(line[end])) end += 1;
  while (end > start && !after[end]) end -= 1;
  return end > start ? end : null;
}
