// From what matched to an answer (search/decide.py). A wrong answer costs more than none.
import { NOTHING_KNOWN } from "./conditions.js";
import { moreSpecific } from "./match.js";
import { strength } from "./strength.js";

export function decider(rules, { doubts, tellsWhere }) {
  const R = rules.decide;
  const { THRESHOLD } = rules.ranked;
  const cannotBeSure = new Set(R._CANNOT_BE_SURE);

  const isWithdrawn = ({ entry }) => entry.withdrawn !== null;
  const isDoubted = ({ assessment }) => assessment.truth === "no";
  const trust = (found) => found.ranked.confidence * (isDoubted(found) ? R._AGAINST : 1);
  const score = (found) => weight(found) / (weight(found) + R._HALF);

  function weight(found) {
    const { hit, ranked } = found;
    let total = ranked ? ranked.score : 0;
    if (hit && (hit.context.length || !hit.shared)) total += R._MATCH / (1 + found.others);
    if (hit) total += R._CONTEXT * Math.min(R._MOST_CONTEXT, hit.context.length);
    if (found.follows) total *= R._AGAINST;
    if (isDoubted(found)) total *= hit ? R._AGAINST_A_HIT : R._AGAINST;
    return total;
  }

  function sharesLines(one, other) {
    const numbers = new Set(one.lines.map(({ number }) => number));
    return other.lines.some(({ number }) => numbers.has(number));
  }

  const areSiblings = (one, other) =>
    Object.hasOwn(one.entry.siblings, other.entry.id) || Object.hasOwn(other.entry.siblings, one.entry.id);

  function beats(one, other) {
    if (one.entry.id === other.entry.id || !sharesLines(one.hit, other.hit)) return false;
    if (areSiblings(one, other)) return one.hit.context.length > other.hit.context.length;
    return moreSpecific(one.hit, other.hit) > 0;
  }

  // Those that no other beats on the same lines, the most specific first.
  function left(found) {
    return found
      .filter((one) => !found.some((other) => beats(other, one)))
      .sort((one, other) => moreSpecific(other.hit, one.hit) || other.hit.proven - one.hit.proven || byId(one, other));
  }

  // Whether a signature says enough without context: else what was met speaks for others as well.
  const standsAlone = ({ hit, entry }) => !hit.shared || tellsWhere(hit, entry);

  const isUnsure = (found) =>
    isDoubted(found) || Boolean(found.beside) || (found.hit && (speakAgainst(found).length > 0 || !standsAlone(found)));

  // A reported signature that something came before was measured to be no less right for it.
  const speakAgainst = (found) => (found.hit.proven ? allDoubts(found) : doubts(found.hit, found.entry));

  // Why what was met may not be the failure itself, and why it may not be the first.
  const allDoubts = ({ hit, entry, earlier, beside }) => [...doubts(hit, entry), ...[earlier, beside].filter(Boolean)];

  function isCertain([top, ...rest]) {
    const { hit, entry } = top;
    if (!hit.proven || cannotBeSure.has(entry.status) || allDoubts(top).length) return false;
    if (entry.measured) return false; // no line says by how much
    return !rest.some((one) => sharesLines(hit, one.hit) || areSiblings(top, one));
  }

  // bySignature: at most one for each record, none generic without context. byWords: best first.
  function decide(bySignature, byWords, successors, date) {
    for (const found of bySignature) {
      const asSpecific = bySignature.filter((one) => one !== found && moreSpecific(one.hit, found.hit) >= 0);
      found.others = asSpecific.filter((one) => sharesLines(found.hit, one.hit)).length;
    }
    const live = bySignature.filter((found) => !isWithdrawn(found));
    const leading = live.filter((found) => !found.follows);
    const undoubted = (leading.length ? leading : live).filter((found) => !isDoubted(found));
    const standing = left(undoubted);
    const sure = left(undoubted.filter((found) => standsAlone(found) && found.entry.status !== "draft"));
    if (sure.length && isCertain(sure)) {
      const others = standing.filter((one) => one.hit.proven && one.entry.id !== sure[0].entry.id && standsAlone(one));
      const results = [
        fromSignature(sure[0], standing, R._CERTAIN),
        ...others.map((found) => fromSignature(found, standing, score(found))),
      ].slice(0, R.MOST_RESULTS);
      return answer("this-is-it", results, bySignature, byWords, date);
    }
    const likely = [...bySignature, ...byWords].sort((one, other) => weight(other) - weight(one) || byId(one, other));
    if (!bySignature.length && !byWords.some((one) => trust(one) >= THRESHOLD)) {
      return answer("not-known", [], bySignature, byWords, date);
    }
    const near = likely.filter((one) => weight(one) >= R._CLOSE * weight(likely[0]));
    const results = near.slice(0, R.MOST_RESULTS).flatMap((found) => {
      const made = found.hit ? fromSignature(found, standing, score(found)) : fromWords(found);
      return isWithdrawn(found) ? withSuccessor(found, made, successors) : [made];
    });
    const distinct = results.filter(({ id }, place) => results.findIndex((one) => one.id === id) === place);
    const named = distinct.slice(0, R.MOST_RESULTS);
    const between = tellsBetween(likely, named);
    if (between) {
      const beside = likely.filter(({ entry }) => named.some(({ id }) => id === entry.id));
      named.splice(R.MOST_RESULTS - 1, 1, fromSignature(between, beside, score(between)));
    }
    const shown = answer("looks-like", named, bySignature, byWords, date);
    return { ...shown, strength: strength(rules.strength, likely.map(weight), isUnsure(likely[0])) };
  }

  // The proven record that says how to tell what is shown from its siblings, where their lines are its own.
  function tellsBetween(likely, shown) {
    const named = shown.map(({ id }) => id);
    const knows = likely.filter(
      (one) => one.hit?.proven && !isWithdrawn(one) && !isDoubted(one) && !named.includes(one.entry.id),
    );
    return knows.find(({ entry }) => named.filter((id) => Object.hasOwn(entry.siblings, id)).length > 1);
  }

  function answer(verdict, results, bySignature, byWords, date) {
    return {
      version: 1,
      answer: verdict,
      strength: null,
      results: results.map((one) => ({ ...one, score: Math.round(one.score * 1000) / 1000 })),
      index_date: date,
      nearest: nearest([...bySignature, ...byWords], results),
      collect: [],
      lacks: null,
    };
  }

  // The best that is not shown.
  function nearest(found, shown) {
    const names = new Set(shown.map(({ id }) => id));
    const others = found.filter(({ entry }) => !names.has(entry.id));
    if (!others.length) return null;
    const best = others.reduce((held, one) => {
      const difference = weight(one) - weight(held) || byId(one, held);
      return difference > 0 ? one : held;
    });
    return { id: best.entry.id, title: best.entry.title, why: whyNot(best) };
  }

  function whyNot(found) {
    if (isDoubted(found)) return `what is known of the machine disagrees: ${found.assessment.disagreed.join("; ")}`;
    if (found.hit) {
      const lines = found.hit.lines.map(({ number }) => number).join(", ");
      const context = found.hit.context.length || !found.hit.shared ? "" : " and met none of its context";
      return `it matched line ${lines}${context}, but others explain more of the text`;
    }
    const words = found.ranked ? found.ranked.words.join(", ") : "";
    if (trust(found) < THRESHOLD) return `it shares too little with any one line: ${words || "only common words"}`;
    return `others explain more of the text than ${words}`;
  }

  function fromSignature(found, standing, given) {
    const { hit, entry } = found;
    const numbers = [...new Set(hit.lines.map(({ number }) => number))];
    let why = `${numbers.length === 1 ? "line" : "lines"} ${numbers.join(", ")} met a ${hit.proven ? "proven" : "reported"} signature`;
    if (hit.context.length) why += " and its context";
    else if (hit.shared) why += ", which other causes may print too, and none of its context";
    const [unsure] = allDoubts(found);
    if (isDoubted(found)) why += ", but what is known of the machine disagrees";
    else if (unsure) why += `, but ${unsure}`;
    const told = standing.filter((one) => one.entry.id !== entry.id && entry.siblings[one.entry.id]);
    return result(found, {
      by: "signature",
      score: given,
      why,
      lines: hit.lines,
      context: hit.context,
      rests_on: hit.lines[0].text,
      confirm: given === R._CERTAIN ? null : confirm(found, standing),
      tell_apart: Object.fromEntries(told.map((one) => [one.entry.id, entry.siblings[one.entry.id]])),
    });
  }

  function fromWords(found) {
    const { words, line } = found.ranked;
    return result(found, {
      by: "words",
      score: score(found),
      why: `shares the words ${words.join(", ")}`,
      words,
      rests_on: line,
      confirm: confirm(found, []),
    });
  }

  // What would make it certain. Nothing makes a withdrawn record that.
  function confirm(found, standing) {
    if (isWithdrawn(found)) return null;
    if (isDoubted(found)) return "that it happens on a machine that the record is about";
    const { hit, entry } = found;
    if (!hit) {
      const lines = entry.signatures.length ? entry.signatures[0].lines : [];
      return lines.length ? `in the log: ${lines.join(" … ")}` : "what the record says is seen, on this machine";
    }
    if (hit.shared && !hit.context.length) return `in the log, one of: ${entry.signatures[hit.signature].context.join(", ")}`;
    if (doubts(hit, entry).length || found.beside) return "the error itself, as the program printed it";
    if (found.earlier) return "that it still happens where that line is not there";
    if (entry.measured) return `measuring it: ${entry.measured}`;
    if (!hit.proven || cannotBeSure.has(entry.status)) {
      return `a repro: so far it is reported, not proven${entry.wanted ? `. Wanted: ${entry.wanted}` : ""}`;
    }
    const others = standing.map((one) => one.entry.id).filter((id) => id !== entry.id).join(", ");
    return others ? `what tells it from ${others}` : "the card and the versions that it happened on";
  }

  function withSuccessor(found, made, successors) {
    const entry = successors.get(found.entry.withdrawn.successor);
    if (!entry) return [made];
    const follower = { entry, assessment: NOTHING_KNOWN, hit: null, ranked: null, ways: [entry.do, ...entry.otherwise].filter(Boolean) };
    return [made, result(follower, { by: "successor", score: made.score, why: `replaces ${found.entry.id}` })];
  }

  return decide;
}

const byId = (one, other) => (one.entry.id < other.entry.id ? -1 : one.entry.id > other.entry.id ? 1 : 0);

function result({ entry, assessment, ways }, how) {
  const doubted = assessment.truth === "no";
  const [first = null, ...others] = entry.withdrawn || doubted ? [] : ways;
  return {
    id: entry.id,
    status: entry.status,
    title: entry.title,
    severity: entry.severity,
    kind: entry.kind,
    do: first,
    otherwise: others,
    believed: entry.believed,
    helped: doubted ? null : entry.helped,
    reports: entry.reports,
    lines: [],
    context: [],
    words: [],
    rests_on: "",
    confirm: null,
    agreed: assessment.agreed,
    disagreed: assessment.disagreed,
    tell_apart: {},
    withdrawn: entry.withdrawn,
    ...how,
  };
}
