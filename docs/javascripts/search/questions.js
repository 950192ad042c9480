// What the lines of a text say of its failure, and how much each counts (search/questions.py).
import { Pattern } from "./patterns.js";

export function questioner(rules, { unwrap, isTrouble, plate }) {
  const R = rules.questions;
  const isException = new Pattern(R._IS_EXCEPTION);
  const saysWhich = new Pattern(R._SAYS_WHICH);

  function troubled(message) {
    if (message.calm) return Boolean(saysWhich.match(message.text));
    return message.severe || (!message.warns && isTrouble(message.text));
  }

  function firstFailingRank(messages) {
    return messages.find((message) => message.rank && troubled(message))?.rank ?? null;
  }

  function weigh(message, text, count, fails) {
    if (text.startsWith(R._A_FRAME)) return R._FRAME;
    if (message.calm && !saysWhich.match(text)) return count > R._WHOLE ? 0 : R._OTHER;
    if (message.warns) return count <= R.SHORT && isTrouble(text) ? R._TROUBLE : R._WARNING;
    if (count === 1 || isException.match(text)) return R._EXCEPTION;
    if (isTrouble(text)) return R._TROUBLE;
    if (count <= R._A_FEW) return R._ONE_OF_A_FEW;
    return fails || count <= R.SHORT ? R._OTHER : 0;
  }

  function questions(lines, count) {
    let messages = lines.map(unwrap);
    const logged = messages.some((message) => message.logged);
    const excerpt = count <= R.SHORT && !logged;
    const asking = messages.some(
      (message) => troubled(message) || (count <= R.SHORT && message.warns && isTrouble(message.text)),
    );
    if (!asking && (count > R.SHORT || logged)) messages = messages.filter((message) => message.warns);
    const firstRank = firstFailingRank(messages);
    const fails = messages.some((message) => message.severe || isException.match(message.text));
    const found = new Map();
    let consequence = 1.0;
    for (const message of messages) {
      if (plate.endsTheRoot(message.text)) consequence = R._CONSEQUENCE;
      const text = plate.without(message.text);
      if (!text) continue;
      let weight = weigh(message, text, count, fails) * consequence;
      if (firstRank !== null && message.rank !== null && message.rank !== firstRank) weight *= R._OTHER_RANK;
      found.set(text, Math.max(found.get(text) ?? 0, weight));
      if (saysWhich.match(text)) consequence = R._CONSEQUENCE;
    }
    const asked = [...found].map(([text, weight]) => ({ text, weight })).filter(({ weight }) => weight);
    return { questions: asked, fails, excerpt, complains: asking };
  }

  return { questions, failingRank: (lines) => firstFailingRank(lines.map(unwrap)) };
}
