// What keeps a signature that was met from being the answer for certain (search/certain.py).
import { Pattern, split } from "./patterns.js";
import { parse } from "./templates.js";

export function doubter(rules, unwrap) {
  const R = rules.certain;
  const patterns = [R._PASSED, R._SOURCE, R._SPEAKER, R._PACKAGE, R._RAISED].map((one) => new Pattern(one));
  const [passed, source, speaker, ofPackage, raised] = patterns;
  const [loudKinds, beneath, english] = [R._FAILS_LOUDLY, R._BENEATH, rules.common_words.ENGLISH].map((one) => new Set(one));

  // Why the lines that met a signature may not be the failure itself, one clause each.
  function doubts(hit, entry) {
    const found = hit.lines.map((seen) => doubt(seen, loudKinds.has(entry.kind)));
    return [...new Set(found.filter(Boolean))];
  }

  function doubt({ number, text, template }, loud) {
    const message = unwrap(text);
    if (passed.search(text)) return `line ${number} says that something passed, was skipped or is fixed`;
    if (loud && message.calm) return `line ${number} is logged as information`;
    if (loud && message.warns && !message.severe) return `line ${number} is logged as a warning`;
    return isSaid(message.text, template) ? `line ${number} speaks about the error` : null;
  }

  // Whether the error stands inside a sentence of somebody's, or in the code that raises it.
  function isSaid(text, template) {
    const literals = parse(template).map(({ literal }) => literal).filter(Boolean);
    const [first, last] = [literals[0], literals[literals.length - 1]];
    const start = text.indexOf(first);
    if (start < 0) return false;
    if (source.search(text.slice(0, start))) return true;
    const before = text.slice(0, start).replace(/[ "'`“([]+$/, "");
    const after = text.slice(text.lastIndexOf(last) + last.length);
    if (speaker.search(`${before}\n${after}`)) return true;
    if (raised.search(text)) return false; // the message of an exception may go on in plain words
    if (before && !":=>|.,;-)".includes(before.at(-1)) && hasPlainWords(before)) return true;
    const goesOn = /^["'`)\]]*\s+([a-z]+)/.exec(after);
    return goesOn !== null && english.has(goesOn[1]);
  }

  const hasPlainWords = (before) => split(before.toLowerCase().replaceAll(":", " ")).some((word) => english.has(word));

  // Whether some context was met that says where it failed, and not in what is logged when all is well.
  function tellsWhere(hit, { signatures }) {
    const { context, conditions } = signatures[hit.signature];
    const names = new Set(conditions.map((at) => context[at]));
    return hit.context.some((seen) => !names.has(seen.template) && !unwrap(seen.text).calm);
  }

  // What to say where the lines are of a package that the record claims nothing about.
  function strangePackage(hit, affects) {
    const claimed = new Set(affects.flatMap(({ software }) => Object.keys(software)));
    const seen = [...hit.lines, ...hit.context].flatMap(({ text }) => ofPackage.findall(text).map(([, name]) => name));
    const strange = seen.filter((name) => !claimed.has(name) && !beneath.has(name));
    const own = [...claimed].some((name) => !beneath.has(name));
    if (!own || !strange.length || seen.some((name) => claimed.has(name))) return null;
    return `the code is ${strange[0]}'s: the record is about ${[...claimed].sort().join(" and ")}`;
  }

  return { doubts, tellsWhere, strangePackage };
}
