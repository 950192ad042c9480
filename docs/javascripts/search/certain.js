// What keeps a signature that was met from being the answer for certain (search/certain.py).
import { packager } from "./packages.js";
import { Pattern, split } from "./patterns.js";
import { parse } from "./templates.js";

export function doubter(rules, unwrap) {
  const R = rules.certain;
  const patterns = [R._PASSED, R._MARKED, R._SOURCE, R._SPEAKER, R._LISTED, R._RAISED, R._NAMED].map((one) => new Pattern(one));
  const [passed, marked, source, speaker, listed, raised, named] = patterns;
  const [loudKinds, english] = [R._FAILS_LOUDLY, rules.common_words.ENGLISH].map((one) => new Set(one));
  const { codeIn, programsOf, strange } = packager(rules);

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
    if (marked.search(message.text)) return `line ${number} is of a list, a diff, a comment or code`;
    const [start, end] = place(message.text, template);
    if (start >= 0 && listed.search(message.text.slice(Math.max(0, start - R._MOST_BEFORE), start))) return `line ${number} gives it as one reason among others`;
    return start >= 0 && isSaid(message.text, start, end) ? `line ${number} speaks about the error` : null;
  }

  // Where the template stands in a text, by its first and last literal; from -1 where it can't be told.
  function place(text, template) {
    const literals = parse(template).map(({ literal }) => literal).filter(Boolean);
    const last = literals[literals.length - 1];
    return [text.indexOf(literals[0]), text.lastIndexOf(last) + last.length];
  }

  // Whether the error stands inside a sentence of somebody's, or in the code that raises it.
  function isSaid(text, start, end) {
    if (source.search(text.slice(0, start))) return true;
    const before = text.slice(0, start).replace(/[ "'`“([]+$/, "");
    const after = text.slice(end);
    if (speaker.search(`${before}\n${after}`)) return true;
    // The message of an exception may go on in plain words.
    if (raised.search(text.slice(0, start)) || named.match(text.slice(start))) return false;
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
  // around: the programs in whose traceback they stand.
  function strangePackage(hit, affects, around) {
    const claimed = new Set(affects.flatMap(({ software }) => Object.keys(software)));
    const seen = [...hit.lines, ...hit.context].flatMap(({ text }) => codeIn(text));
    const told = hit.lines.flatMap(({ text }) => programsOf(text, unwrap(text).text));
    const found = strange(claimed, seen, [...told, ...around]);
    return found && `the code is ${found}'s: the record is about ${[...claimed].sort().join(" and ")}`;
  }

  return { doubts, tellsWhere, strangePackage, passed: (text) => Boolean(passed.search(text)) };
}
