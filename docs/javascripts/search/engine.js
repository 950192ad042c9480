// From text to an answer, as `gotchas search --json` gives it (search/engine.py, search/advice.py).
import { lackTeller, whatToCollect } from "./advice.js";
import { besideReader } from "./beside.js";
import { NOTHING_KNOWN, NOTHING_TOLD, assess } from "./conditions.js";
import { doubter } from "./certain.js";
import { Course, courseReader } from "./course.js";
import { decider } from "./decide.js";
import { factFinder, factTeller, merge } from "./evidence.js";
import { Gist } from "./gist.js";
import { LineSplitter, cleaner } from "./lines.js";
import { Matcher, bestOfEach } from "./match.js";
import { boilerplate, joiner, troubleTeller, unwrapper } from "./messages.js";
import { whole } from "./packed.js";
import { questioner } from "./questions.js";
import { ranker } from "./rank.js";
import { wording } from "./words.js";

// Everything that is made once from search.json.
export class Engine {
  constructor(packed) {
    const index = whole(packed);
    const { rules } = index;
    this.index = index;
    this.clean = cleaner(rules);
    this.unwrap = unwrapper(rules);
    this.isTrouble = troubleTeller(rules);
    this.join = joiner(rules, this.unwrap);
    const plate = boilerplate(rules);
    this.endsTheRoot = plate.endsTheRoot;
    Object.assign(this, questioner(rules, { unwrap: this.unwrap, isTrouble: this.isTrouble, plate }));
    this.whatIsLacking = lackTeller(rules, { unwrap: this.unwrap, isTrouble: this.isTrouble, plate });
    const speech = wording(rules);
    this.rank = ranker(index, speech, plate);
    Object.assign(this, adviser(rules, speech));
    this.facts = factFinder(index);
    this.statesAFact = factTeller(rules);
    this.saidBeside = besideReader(rules);
    this.certain = doubter(rules, this.unwrap);
    this.decide = decider(rules, this.certain);
    this.reads = courseReader(rules, { unwrap: this.unwrap, passed: this.certain.passed, endsTheRoot: this.endsTheRoot });
  }

  // target: what code is compiled for where it happened, when somebody says so.
  answer(text, target = null) {
    const search = new Search(this);
    search.feed(text);
    return search.answer(target);
  }
}

// One search over a stream. Feed it text as it comes, ask for the answer at the end.
export class Search {
  constructor(engine) {
    this.engine = engine;
    this.splitter = new LineSplitter(engine.index.rules);
    this.matcher = new Matcher(engine.index);
    this.course = new Course(engine.reads);
    this.gist = new Gist(engine.index.rules, engine.isTrouble, engine.statesAFact);
    this.waiting = [];
  }

  feed(text) {
    this.take(this.splitter.feed(text));
  }

  take(lines) {
    const block = this.engine.index.rules.engine._BLOCK;
    for (const line of lines) {
      this.waiting.push(line);
      if (this.waiting.length < block) continue;
      this.flush(this.waiting);
      this.waiting = [];
    }
  }

  flush(waiting) {
    if (!waiting.length) return;
    const { clean, join, index } = this.engine;
    const cleaned = waiting.map(({ number, text }) => ({ number, text: clean(text) }));
    const whole = join(waiting).map((line) => ({ ...line, text: clean(line.text) }));
    const place = ({ number, end }) => end ?? number; // joined lines stand behind their last piece
    this.matcher.feed(whole.length ? [...cleaned, ...whole].sort((one, other) => place(one) - place(other)) : cleaned);
    this.course.feed(cleaned); // a wrong guess of what was one line may not count against anything
    this.gist.feed(cleaned);
    this.gist.feed(whole.slice(0, index.rules.engine._MOST_JOINED));
  }

  answer(target = null) {
    const { engine, gist } = this;
    const { index } = engine;
    this.take(this.splitter.finish());
    this.flush(this.waiting);
    this.waiting = [];
    const best = bestOfEach(this.matcher.hits().filter((hit) => hit.context.length || !hit.generic));
    const given = target ? { cards: [{ name: target, target }], software: {}, settings: {}, either: NOTHING_TOLD } : null;
    const machine = merge(given, engine.facts(gist.facts));
    const asked = engine.questions(gist.kept, gist.count);
    const ran = engine.rank(asked, (machine?.cards ?? []).map((card) => card.target).filter(Boolean));
    const ranked = new Map(ran.map((one) => [one.record, one]));
    const names = new Set([...best.keys(), ...[...ranked.keys()].slice(0, index.rules.engine._MOST_RANKED)]);
    const firstRank = best.size > 1 ? engine.failingRank(gist.kept) : null;
    const beside = engine.saidBeside(gist.kept, gist.count);
    const said = engine.saidIn(gist.facts);
    const found = [...names].map((name) => {
      const entry = index.records[name];
      const hit = best.get(name) ?? null;
      const rank = hit && firstRank ? engine.unwrap(hit.lines[0].text).rank : null;
      return {
        entry,
        assessment: this.assess(entry, machine, hit),
        hit,
        ranked: ranked.get(name) ?? null,
        follows: rank !== null && rank !== firstRank,
        beside,
        earlier: hit && this.course.before(hit, entry),
        ways: engine.ways(entry, said),
      };
    });
    const successors = new Map(
      found.map(({ entry }) => entry.withdrawn?.successor).filter(Boolean).map((name) => [name, index.records[name]]),
    );
    const answer = engine.decide(found.filter(({ hit }) => hit), found.filter(({ hit }) => !hit), successors, index.date);
    if (!answer.results.length) {
      answer.lacks = engine.whatIsLacking(gist.kept, asked);
      answer.collect = whatToCollect(index.rules.advice, gist.facts, asked, machine, answer.lacks);
    }
    return answer;
  }

  assess({ affects }, machine, hit) {
    const assessment = machine ? assess(affects, machine) : NOTHING_KNOWN;
    const strange = hit && this.engine.certain.strangePackage(hit, affects, this.course.around(hit));
    if (!strange) return assessment;
    return { ...assessment, truth: "no", disagreed: [...assessment.disagreed, strange] };
  }
}

// What to do, first the way that names most of what the text names.
function adviser({ common_words: { ENGLISH } }, { words, isCommon }) {
  const english = new Set(ENGLISH);
  const saidIn = (lines) => new Set(lines.flatMap(words).filter((word) => !isCommon(word) && !english.has(word)));
  function ways({ do: first, otherwise }, said) {
    const counted = [first, ...otherwise].filter(Boolean).map((way) => [way, [...new Set(words(way))].filter((word) => said.has(word)).length]);
    return counted.sort(([, one], [, other]) => other - one).map(([way]) => way);
  }
  return { saidIn, ways };
}
