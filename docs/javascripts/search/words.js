// Text to words that carry meaning (search/words.py).
import { Pattern } from "./patterns.js";

export function wording(rules) {
  const patterns = Object.fromEntries(
    ["_WORD", "_PART", "_NUMBER", "_ADDRESS", "_NUMBERED", "_TARGET", "_CAPABILITY", "_FRAME"].map((name) => [
      name,
      new Pattern(rules.words[name]),
    ]),
  );
  const { _WORD, _PART, _NUMBER, _ADDRESS, _NUMBERED, _TARGET, _CAPABILITY, _FRAME } = patterns;
  const common = new Set(rules.common_words.COMMON_WORDS);

  function words(text) {
    const frame = _FRAME.match(text);
    if (frame) text = `${frame[1].replaceAll("\\", "/").split("/").pop()} ${frame[2]}`;
    const found = _NUMBERED.findall(text).map(([, kind, number]) => `${kind.toLowerCase().replaceAll(" ", "-")}-${number}`);
    for (const [, number] of _TARGET.findall(text)) found.push(`sm_${number}`);
    for (const [, major, minor] of _CAPABILITY.findall(text)) found.push(`sm_${major}${minor}`);
    for (const [match] of _WORD.findall(text)) {
      const word = match.toLowerCase().replace(/\.+$/, "");
      if (_ADDRESS.fullmatch(word)) continue;
      found.push(word);
      if (/[^a-z0-9]/.test(word) && !_NUMBER.fullmatch(word)) {
        for (const [part] of _PART.findall(word)) if (part.length > 1 && !/^\d+$/.test(part)) found.push(part);
      }
    }
    return found;
  }

  const isCommon = (word) => common.has(word) || word.length === 1 || _NUMBER.fullmatch(word);
  return { words, isCommon };
}
