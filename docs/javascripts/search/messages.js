// What loggers put before a line, sentences that tell nothing, and lines that a terminal broke
// (search/prefixes.py, search/boilerplate.py, search/trouble.py, search/joining.py).
import { Pattern, lstrip, rstrip, size, split } from "./patterns.js";

export function unwrapper(rules) {
  const { _PREFIXES, _SEVERE, _WARNING, _CALM, _NCCL, _LATER, _RANK } = rules.prefixes;
  const prefixes = _PREFIXES.map((one) => new Pattern(one));
  const ofNccl = [new Pattern(_NCCL), ...prefixes];
  const [rankPattern, later] = [new Pattern(_RANK), new Pattern(_LATER)];
  const [severeLevels, warningLevels, calmLevels] = [_SEVERE, _WARNING, _CALM].map((one) => new Set(one));

  return (whole) => {
    let [text, logged, severe, warns, calm] = [whole, false, false, false, false];
    for (;;) {
      text = lstrip(text);
      const match = first(text.includes("NCCL") ? ofNccl : prefixes, text);
      if (!match) break;
      text = text.slice(match[0].length);
      logged ||= !match[0].startsWith(">");
      const level = match.groups?.level;
      severe ||= severeLevels.has(level);
      warns ||= warningLevels.has(level);
      calm ||= calmLevels.has(level);
    }
    if (calm) {
      // A second line may be glued to it.
      for (const [, level] of later.findall(text)) {
        severe ||= severeLevels.has(level);
        warns ||= warningLevels.has(level);
      }
    }
    const found = logged ? rankPattern.search(whole.slice(0, whole.length - text.length)) : null;
    const rank = found?.slice(1).find(Boolean) ?? null;
    return { text: rstrip(text), logged, severe, warns, calm: calm && !(severe || warns), rank };
  };
}

function first(prefixes, text) {
  for (const prefix of prefixes) {
    const match = prefix.match(text);
    if (match && match[0]) return match;
  }
  return null;
}

export function troubleTeller(rules) {
  const { _SIGNS, _HARMLESS } = rules.trouble;
  const harmless = new Pattern(_HARMLESS);
  return (text) => {
    const lowered = text.toLowerCase();
    return _SIGNS.some((sign) => lowered.includes(sign)) && !harmless.search(lowered);
  };
}

export function boilerplate(rules) {
  const { _HINTS, _SENTENCES, _MARKERS } = rules.boilerplate;
  const sentences = new Pattern(_SENTENCES);
  return {
    without: (text) => (_HINTS.some((hint) => text.includes(hint)) ? sentences.sub("", text).trim() : text),
    endsTheRoot: (text) => text.includes("above exception") && _MARKERS.some((one) => text.includes(one)),
  };
}

export function joiner(rules, unwrap) {
  const { _NARROWEST, _WIDEST, _MOST_PIECES, _QUOTE } = rules.joining;
  const quote = new Pattern(_QUOTE);

  function goesOn(text, following, width) {
    if (!text.trim() || !following.trim()) return false;
    const length = size(text);
    if (length !== width) {
      const word = split(following)[0];
      if (following[0] === " " || length <= Math.floor(width / 2) || length + 1 + size(word) <= width) return false;
    }
    return !unwrap(following).logged;
  }

  // Lines that these may have been before they were wrapped, each with the number of its last piece as `end`.
  return (raw) => {
    const texts = raw.map(({ text }) => (text.startsWith(">") ? text.slice(quote.match(text)[0].length) : text));
    const width = texts.reduce((most, text) => Math.max(most, size(text)), 0);
    if (width < _NARROWEST || width > _WIDEST) return [];
    const found = [];
    for (let at = 0; at < texts.length - 1; ) {
      let end = at;
      while (end + 1 < texts.length && end - at < _MOST_PIECES && goesOn(texts[end], texts[end + 1], width)) end += 1;
      if (end > at) {
        const pieces = texts.slice(at, end + 1);
        const cut = pieces.map((piece) => (size(piece) === width ? piece : `${piece} `)).join("");
        for (const text of new Set([cut, pieces.join(" ")])) found.push({ number: raw[at].number, end: raw[end].number, text });
      }
      at = end + 1;
    }
    return found;
  };
}
