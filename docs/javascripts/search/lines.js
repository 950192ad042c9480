// Text to lines, and a line as a program meant to print it (search/lines.py, search/normalise.py).
import { Pattern, isBlank, split } from "./patterns.js";

// Feed it text as it comes, then call `finish`. A line is {number, text}; a longer one than fits comes in pieces.
export class LineSplitter {
  constructor(rules) {
    this.longest = rules.lines.LONGEST_LINE;
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
      if (!isBlank(part)) this.pieces(part, lines);
      else if (!this.blank) lines.push({ number: this.number, text: "" });
      this.blank = isBlank(part);
      this.number += 1;
    }
    while (this.rest.length > this.longest) {
      lines.push({ number: this.number, text: this.rest.slice(0, this.longest) });
      this.rest = this.rest.slice(this.longest);
    }
    return lines;
  }

  finish() {
    const lines = [];
    if (this.rest) this.pieces(this.rest, lines);
    this.rest = "";
    return lines;
  }

  pieces(text, lines) {
    for (let start = 0; start < text.length; start += this.longest) {
      lines.push({ number: this.number, text: text.slice(start, start + this.longest) });
    }
  }
}

export function decoderFor(bytes) {
  const utf16 = bytes.length > 3 && bytes[0] + bytes[1] === 0x1fd && (bytes[2] === 0 || bytes[3] === 0);
  return new TextDecoder(utf16 ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8");
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
