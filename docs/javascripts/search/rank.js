// Word ranking: which records explain most of a text (search/rank.py).
import { fewMeaner } from "./few.js";
import { likener } from "./likeness.js";

export function ranker(index, wording, plate) {
  const { words, isCommon } = wording;
  const likenesses = likener(index, wording);
  const { meantBy, printedBy } = fewMeaner(index, wording, plate);
  const R = index.rules.rank;
  const count = Math.max(2, index.ids.length);
  const scale = R._RAREST / Math.log(1 + (count - 0.5) / 1.5);
  const told = new Map();
  const postings = (word) => (Object.hasOwn(index.words, word) ? index.words[word] : []);

  // How much a word tells: its rarity among records.
  function telling(word) {
    if (!told.has(word)) {
      const held = postings(word).length;
      const rarity = scale * Math.log(1 + (count - held + 0.5) / (held + 0.5));
      told.set(word, rarity * (isCommon(word) ? R._COMMON : 1));
    }
    return told.get(word);
  }

  function named(asked) {
    const called = new Set();
    for (const { text } of asked) {
      for (const word of text.split(" ")) if (word) called.add(strip(word).toLowerCase());
    }
    if (asked.length > index.rules.questions.SHORT) return new Set();
    const names = [...called].filter((word) => word.includes("-") || asked.length === 1);
    const meant = names.map((word) => (Object.hasOwn(index.aliases, word) ? index.aliases[word] : word));
    return new Set(meant.filter((name) => Object.hasOwn(index.records, name)));
  }

  function trustIn({ fails, excerpt, complains }) {
    if (fails) return R._IN_A_FAILURE;
    if (!excerpt) return 1;
    return complains ? R._IN_A_COMPLAINT : R._IN_AN_EXCERPT;
  }

  // For each record how much of one line it explains, 0 to 1.
  function shares(found) {
    const weighed = found.map((word) => [telling(word), word]);
    const heaviest = weighed.sort(([one], [other]) => other - one).slice(0, R._MOST_WORDS);
    const total = heaviest.reduce((sum, [weight]) => sum + weight, 0);
    const enough = Math.min(R.ENOUGH_MASS, total);
    const mass = new Map();
    for (const [weight, word] of heaviest) {
      const tells = isCommon(word) ? 0 : /^[a-z]+$/.test(word) ? 1 : 2;
      for (const [record, strength] of postings(word)) {
        const [part, tellings] = mass.get(record) ?? [0, 0];
        mass.set(record, [part + (weight * strength) / 100, tellings + tells]);
      }
    }
    const wanted = found.length > 1 ? 2 : 1;
    return [...mass]
      .filter(([, [, tellings]]) => tellings >= wanted)
      .map(([record, [part]]) => [record, (part / total) * Math.min(1, part / enough)]);
  }

  // asked: what `questions` says. targets: what the text says it ran on.
  return (asked, targets = []) => {
    const { questions, fails } = asked;
    const lines = questions.slice(0, R._MOST_QUESTIONS).map((one) => [one, [...new Set(words(one.text))]]);
    const weights = new Map(targets.map((target) => [target, R._TARGET]));
    for (const [{ weight }, found] of lines) {
      for (const word of found) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
    }
    const parts = new Map();
    for (const [word, weight] of weights) {
      const mass = weight * telling(word);
      for (const [record, strength] of postings(word)) {
        if (!parts.has(record)) parts.set(record, []);
        parts.get(record).push([(mass * strength) / 100, word]);
      }
    }
    const best = new Map();
    for (const [{ text, weight }, found] of lines) {
      for (const [record, share] of shares(found)) {
        const line = [share * weight, text];
        const held = best.get(record);
        if (!held || line[0] > held[0] || (line[0] === held[0] && line[1] > held[1])) best.set(record, line);
      }
    }
    const trust = trustIn(asked);
    const alike = likenesses(questions);
    const called = named(questions);
    const few = questions.map(({ text }) => text);
    const meant = fails ? null : meantBy(few);
    const printed = printedBy(few);
    const ranked = [...called].map((record) => ({ record, score: R._NAMED, confidence: R._NAMED, words: [record], line: "" }));
    for (const [place, explained] of parts) {
      const record = index.ids[place];
      if (called.has(record)) continue;
      const score = explained.reduce((sum, [part]) => sum + part, 0);
      explained.sort(([one, word], [other, word2]) => other - one || (word2 > word ? 1 : word2 < word ? -1 : 0));
      const strongest = explained.slice(0, 6).filter(([part]) => part > 0.5).map(([, word]) => word);
      const [share, line] = best.get(place) ?? [0, ""];
      const like = alike.get(record) ?? { likest: 0, together: 0 };
      let confidence = score * share * trust + R._LIKE_TRUST * Math.max(0, like.likest - R._LIKE_ENOUGH);
      if (printed.has(record)) confidence = Math.max(confidence, index.rules.ranked.THRESHOLD);
      else if (meant && !meant.has(record)) confidence = 0;
      ranked.push({ record, score: score + R._LIKE * like.together, confidence, words: strongest, line });
    }
    return ranked.sort((one, other) => other.score - one.score || (one.record < other.record ? -1 : 1));
  };
}

const strip = (word) => word.replace(/^[.,:;()`'"]+|[.,:;()`'"]+$/g, "");
