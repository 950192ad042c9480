// Text to words that carry meaning (search/words.py).
import { Pattern } from "./patterns.js";

export function wording(rules) {
  const patterns = Object.fromEntries(
    ["_WORD", "_PART", "_NUMBER", "_ADDRESS", "_NUMBERED", "_TARGET", "_CAPABILITY", "_FRAME", "_PACKAGE"].map(
      (name) => [name, new Pattern(rules.words[name])],
    ),
  );
  const { _WORD, _PART, _NUMBER, _ADDRESS, _NUMBERED, _TARGET, _CAPABILITY, _FRAME, _PACKAGE } = patterns;
  const common = new Set(rules.common_words.COMMON_WORDS);
  const english = new Set(rules.common_words.ENGLISH);

  // A line as it is, and of a traceback's frame the package, the file and the function.
  function told(text) {
    const frame = _FRAME.match(text);
    if (!frame) return text;
    const of = _PACKAGE.search(frame[1]);
    return `${of ? of[1] : ""} ${frame[1].replaceAll("\\", "/").split("/").pop()} ${frame[2]}`;
  }

  // The word without the s of many (search/singular.py).
  function singular(word) {
    const { _LEAST, _NO_PLURAL } = rules.singular;
    if (word.length < _LEAST || !word.endsWith("s")) return word;
    const stem = word.slice(0, -1);
    const plain = /^[0-9]+$/.test(stem) || (/^[a-z]+$/.test(stem) && !_NO_PLURAL.includes(stem.at(-1)));
    return plain ? stem : word;
  }

  function whole(text) {
    const found = _WORD.findall(text).map(([match]) => match.toLowerCase().replace(/\.+$/, ""));
    return found.filter((word) => !_ADDRESS.fullmatch(word)).map(singular);
  }

  function words(line) {
    const text = told(line);
    const found = _NUMBERED.findall(text).map(([, kind, number]) => `${kind.toLowerCase().replaceAll(" ", "-")}-${number}`);
    for (const [, number] of _TARGET.findall(text)) found.push(`sm_${number}`);
    for (const [, major, minor] of _CAPABILITY.findall(text)) found.push(`sm_${major}${minor}`);
    for (const word of whole(text)) {
      found.push(word);
      if (/[^a-z0-9]/.test(word) && !_NUMBER.fullmatch(word)) {
        for (const [part] of _PART.findall(word)) if (part.length > 1 && !/^\d+$/.test(part)) found.push(singular(part));
      }
    }
    return found;
  }

  // Words, and every pair of neighbours among those that are no plain English and no number.
  function terms(line) {
    const kept = whole(told(line)).filter((word) => !english.has(word) && !_NUMBER.fullmatch(word));
    return [...words(line), ...kept.slice(1).map((word, place) => `${kept[place]} ${word}`)];
  }

  const isCommon = (word) => common.has(word) || word.length === 1 || _NUMBER.fullmatch(word);
  return { words, terms, isCommon };
}
