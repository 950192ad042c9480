// Signatures over a stream of lines (search/match.py).
import { find } from "./templates.js";

export class Matcher {
  constructor(index) {
    this.index = index;
    this.window = index.rules.match.WINDOW;
    this.progress = new Map();
  }

  // lines: cleaned, in order.
  feed(lines) {
    const block = lines.map(({ text }) => text).join("\n");
    const { literals } = this.index;
    const words = new Set(["", ...block.split(/[ \n]+/)]);
    const present = [];
    for (const word of words) {
      if (Object.hasOwn(literals, word)) present.push(...literals[word].filter(([literal]) => block.includes(literal)));
    }
    if (!present.length) return;
    for (const line of lines) {
      const places = present.filter(([literal]) => line.text.includes(literal)).flatMap(([, found]) => found);
      places.sort(compare);
      for (const [record, signature, position] of places) meet(this.of(record, signature), position, line, this.window);
    }
  }

  of(record, signature) {
    const key = `${record} ${signature}`;
    if (!this.progress.has(key)) {
      const spec = this.index.records[this.index.ids[record]].signatures[signature];
      this.progress.set(key, { record, signature, spec, partial: spec.lines.map(() => null), context: new Map(), complete: null });
    }
    return this.progress.get(key);
  }

  // Every signature met so far, by record.
  hits() {
    const met = [...this.progress.values()].filter(({ complete }) => complete);
    met.sort((one, other) => one.record - other.record || one.signature - other.signature);
    return met.map(({ record, signature, spec, complete, context }) => ({
      record: this.index.ids[record],
      signature,
      proven: spec.basis === "proven",
      generic: spec.generic,
      shared: spec.context.length > 0,
      length: spec.length,
      lines: complete,
      context: [...context].sort(([one], [other]) => one - other).map(([, seen]) => seen),
    }));
  }
}

const compare = (one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
const seen = (line, template, holes) => ({ number: line.number, text: line.text, template, holes });

function meet(progress, position, line, window) {
  const { spec, partial, context } = progress;
  if (position < 0) {
    const place = ~position;
    if (context.has(place)) return;
    const holes = find(spec.context[place], line.text);
    if (holes) context.set(place, seen(line, spec.context[place], holes));
    return;
  }
  if (progress.complete && !isCode(progress.complete.at(-1).text)) return;
  const before = position ? partial[position - 1] : [];
  if (!before || (before.length && line.number - before[0].number >= window)) return;
  const holes = find(spec.lines[position], line.text);
  if (!holes) return;
  partial[position] = [...before, seen(line, spec.lines[position], holes)];
  if (partial[position].length === spec.lines.length) progress.complete = partial[position];
}

// Whether it is the line of a program that raises an error: the error itself comes below it.
const isCode = (text) => /(?:^|\s)raise \w+\(/.test(text);

// How specific a hit is: context first, then length.
export const moreSpecific = (one, other) => one.context.length - other.context.length || one.length - other.length;

// For each record the hit that says most: proven before reported, then the more specific.
export function bestOfEach(hits) {
  const best = new Map();
  for (const hit of hits) {
    const held = best.get(hit.record);
    if (!held || (hit.proven - held.proven || moreSpecific(hit, held)) > 0) best.set(hit.record, hit);
  }
  return best;
}
