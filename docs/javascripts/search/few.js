// A text of a word or two: it means a record only where few are called so (search/few.py).
import { Pattern } from "./patterns.js";
import { parse } from "./templates.js";

export function fewMeaner(index, { words, isCommon }, plate) {
  const R = index.rules.few;
  const card = new Pattern(R._CARD);
  const calm = new Set(R._CALM);

  // The words that a record is called by, and those that its failure prints.
  function namesOf({ id, aliases, concepts, title, signatures }) {
    const printed = signatures.flatMap(({ lines, context }) => [...lines, ...context]);
    const literals = printed.flatMap((line) => parse(line).map(({ literal }) => literal).filter(Boolean));
    return new Set([id, ...aliases, ...concepts, title, ...literals].flatMap(words));
  }

  const tells = (literal) => Boolean(plate.without(literal) && plate.without(`CUDA error: ${literal}`));

  // The records of which a text of few words is a piece of what is printed, at least half of one literal.
  function printedBy(texts) {
    const parts = texts.flatMap((text) => text.split(" ").filter(Boolean));
    if (parts.length < R._FEW || parts.length > R._LONGEST) return new Set();
    const said = parts.join(" ").toLowerCase();
    const holding = Object.values(index.literals)
      .flat()
      .filter(([literal]) => literal.length <= R._HALF * said.length && literal.toLowerCase().includes(said) && tells(literal));
    const isGeneric = (record, signature) => index.records[index.ids[record]].signatures[signature].generic;
    const places = holding
      .flatMap(([, found]) => found)
      .filter(([record, signature, position]) => position >= 0 && !isGeneric(record, signature));
    return new Set(places.map(([record]) => index.ids[record]));
  }

  // The records that a text of few words may mean; null where it has more to say than that.
  function meantBy(texts) {
    const said = texts.flatMap((text) => text.split(" ").filter(Boolean));
    const told = new Set(said.flatMap(words).filter((word) => !isCommon(word)));
    if (said.length > R._LONGEST || told.size > R._FEW) return null;
    if ([...told].every((word) => card.fullmatch(word)) || calm.has(said[0])) return new Set();
    const holders = new Set([...told].flatMap((word) => (Object.hasOwn(index.words, word) ? index.words[word] : [])).map(([record]) => record));
    const shared = new Map();
    for (const position of holders) {
      const names = namesOf(index.records[index.ids[position]]);
      shared.set(index.ids[position], [...told].filter((word) => names.has(word)).length);
    }
    const sharing = (count) => new Set([...shared].filter(([, found]) => found === count).map(([name]) => name));
    let byAll = sharing(told.size);
    if (byAll.size > R._MOST_MEANT * told.size) {
      // Then only those whose very id says so.
      byAll = new Set([...byAll].filter((name) => [...told].every((word) => words(name).includes(word))));
    }
    if (byAll.size || told.size < R._FEW) return byAll.size <= R._MOST_MEANT * told.size ? byAll : new Set();
    const byMost = sharing(told.size - 1);
    return byMost.size <= R._MOST_MEANT ? byMost : new Set();
  }

  return { meantBy, printedBy };
}
