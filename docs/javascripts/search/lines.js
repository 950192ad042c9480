// Text to lines, and a line as a program meant to print it (search/lines.py, search/normalise.py).
import { Pattern, isBlank, split } from "./patterns.js";

// Feed it text as it comes, then call `finish`. A line is {number, text}; a longer one than fits comes in pieces.
export class LineSplitter {
  constructor(rules) {
    this.longest = rules.lines.LONGEST_LINE;
    this.overlap = rules.lines.OVERLAP;
    this.rest = "";
    this.number = 1;
    this.afterReturn = false;
    this.blank = false;
  }

  feed(text) {
    if (this.afterReturn && text.startsWith("\n")) {
      text = text.slice(1);
      this.afterReturn = false;
    }
    if (text) this.afterReturn = text.endsWith("\r");
    if (text.includes("\r")) text = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    const parts = (this.rest + text).split("\n");
    this.rest = parts.pop();
    const lines = [];
    for (const part of parts) {
      // Of blank lines the first, as millions tell no more.
      if (!isBlank(part)) this.push(part, lines);
      else if (!this.blank) lines.push({ number: this.number, text: "" });
      this.blank = isBlank(part);
      this.number += 1;
    }
    const whole = this.pieces(this.rest);
    this.rest = whole.pop();
    lines.push(...whole.map((piece) => ({ number: this.number, text: piece })));
    return lines;
  }

  finish() {
    const lines = [];
    if (this.rest) this.push(this.rest, lines);
    this.rest = "";
    return lines;
  }

  push(text, lines) {
    for (const piece of this.pieces(text)) lines.push({ number: this.number, text: piece });
  }

  // A line in pieces, each with the end of the one before, cut where Python cuts it.
  pieces(text) {
    if (text.length <= this.longest) return [text];
    const characters = /[\ud800-\udfff]/.test(text) ? [...text] : text;
    const found = [];
    let start = 0;
    for (; characters.length - start > this.longest; start += this.longest - this.overlap) {
      found.push(characters.slice(start, start + this.longest));
    }
    return [...found, characters.slice(start)].map((piece) => (typeof piece === "string" ? piece : piece.join("")));
  }
}

// By its mark, or by a zero in every pair of the first bytes.
export function decoderFor({ _HEAD, _MARKED }, bytes) {
  const head = [...bytes.subarray(0, _HEAD)];
  const marked = head[0] + head[1] === 0x1fd && head.slice(2, _MARKED).includes(0);
  const [even, odd] = [0, 1].map((side) => head.filter((_, at) => at % 2 === side));
  const none = (half) => half.every((byte) => byte === 0);
  const [little, big] = head.length < _MARKED ? [false, false] : [none(odd) && even.every(Boolean), none(even) && odd.every(Boolean)];
  if (marked ? head[0] === 0xff : little) return new TextDecoder("utf-16le");
  return new TextDecoder(marked || big ? "utf-16be" : "utf-8");
}

export function cleaner(rules) {
  const { _ANSI, _CONTROL, _TYPOGRAPHY, _ENTITY, _ENTITIES } = rules.normalise;
  const [ansi, control, entity] = [_ANSI, _CONTROL, _ENTITY].map((one) => new Pattern(one));
  const odd = Object.entries(_TYPOGRAPHY).map(([code, shown]) => [String.fromCodePoint(code), shown]);
  return (text) => {
    if (/[^\x20-\x7e]/.test(text)) {
      text = control.sub("", ansi.sub("", text));
      for (const [character, shown] of odd) text = text.replaceAll(character, shown);
    }
    if (text.includes("&")) text = entity.sub((_, name) => _ENTITIES[name], text);
    return /[^\x21-\x7e]/.test(text) ? split(text).join(" ") : text;
  };
}
