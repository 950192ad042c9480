// What failed before what in a log (search/course.py): chained exceptions, and failures that bring others about.
import { packager } from "./packages.js";
import { Pattern, size } from "./patterns.js";
import { find } from "./templates.js";

// What a Course needs of the rules.
export function courseReader(rules, { unwrap, passed, endsTheRoot }) {
  const R = rules.course;
  const [failsFirst, exception, code] = [R._FAILS_FIRST, R._EXCEPTION, R._CODE].map((one) => new Pattern(one));
  const { PROGRAMS, BENEATH } = rules.packages;
  const shown = new Set([...PROGRAMS, ...BENEATH]);
  const { codeIn } = packager(rules);
  return {
    ...R,
    window: rules.match.WINDOW,
    unwrap,
    endsTheRoot,
    isException: (text) => Boolean(exception.match(text)),
    failsFirst: (text) => Boolean(failsFirst.search(text)) && !(code.match(text) || passed(text)),
    programsIn: (text) => codeIn(text).filter((name) => shown.has(name)),
    tells: (text) =>
      text.includes("rror") || text.includes("xception") || text.includes(R._FRAME) || R.TELLING.some((one) => text.includes(one)),
  };
}

export class Course {
  constructor(reads) {
    this.reads = reads;
    this.ranks = new Map();
    this.first = [];
    this.chains = [];
    this.traces = [];
    this.unquoted = [];
  }

  // lines: cleaned, in order.
  feed(lines) {
    for (const line of lines) if (this.reads.tells(line.text)) this.take(line);
  }

  // Which line is the reason that a hit may be a consequence, as a clause; null where none is.
  before(hit, { signatures }) {
    const start = Math.min(...hit.lines.map(({ number }) => number));
    const own = new Set(hit.lines.map(({ number }) => number));
    const templates = signatures.flatMap(({ lines }) => lines);
    const isOther = ({ number, text }) => !own.has(number) && !templates.some((one) => find(one, text));
    const { rank } = this.reads.unwrap(hit.lines[0].text);
    for (const chain of this.chains) {
      if (chain.rank !== rank || chain.link >= start || start >= chain.end) continue;
      if (!chain.root) return `line ${chain.link} says that another exception led to it, which is cut off`;
      if (isOther(chain.root)) return this.cameFirst(chain.root);
    }
    const first = this.first.find((line) => line.number < start && isOther(line));
    if (first) return this.cameFirst(first);
    const other = this.unquoted.find((line) => rank !== null && line.rank !== null && line.rank !== rank && line.number < start && isOther(line));
    if (other) return this.cameFirst(other);
    if (!hit.lines.every(({ text }) => text.startsWith(">"))) return null;
    const plain = this.unquoted.find(isOther);
    return plain ? `line ${start} is quoted, and line ${plain.number} is not: ${this.cut(plain.text)}` : null;
  }

  // The programs in whose traceback the last line of a hit stands.
  around(hit) {
    const { number, text } = hit.lines.at(-1);
    const { rank } = this.reads.unwrap(text);
    const running = [...this.ranks.values()].map(({ trace }) => trace).filter((trace) => trace && !trace.end);
    const found = [...running, ...[...this.traces].reverse()].find((trace) => {
      const end = trace.end ? trace.end + this.reads._REACH : trace.start + this.reads.window;
      return trace.rank === rank && trace.start <= number && number <= end;
    });
    return found ? [...found.programs] : [];
  }

  take(line) {
    const { reads, ranks } = this;
    const message = reads.unwrap(line.text);
    const { rank, text } = message;
    if (!ranks.has(rank)) {
      if (ranks.size >= reads._MOST_RANKS) return;
      ranks.set(rank, { exception: null, chain: null, linked: false, trace: null });
    }
    const state = ranks.get(rank);
    if (text.includes(reads._HEADER)) {
      if (!state.linked && state.chain) {
        state.chain.end = Math.min(state.chain.end, line.number);
        state.chain = null;
      }
      state.linked = false;
    } else if (reads.endsTheRoot(text)) {
      this.link(state, rank, line.number);
    } else if (text.startsWith(reads._FRAME)) {
      state.linked = false;
      this.frame(state, rank, line.number, text);
    } else if ((!message.warns || text.includes(reads._OF_NCCL)) && (!message.calm || reads.isException(text))) {
      this.fail(state, { number: line.number, text, rank }, line.text.startsWith(">"));
    }
  }

  link(state, rank, number) {
    state.linked = true;
    if (state.chain || this.chains.length >= this.reads._MOST_KEPT) return;
    state.chain = { rank, root: state.exception, link: number, end: number + this.reads.window };
    this.chains.push(state.chain);
  }

  frame(state, rank, number, text) {
    if (!state.trace || state.trace.end) state.trace = { rank, start: number, end: 0, programs: new Set() };
    if (state.trace.programs.size < this.reads._MOST_FRAMES) {
      for (const name of this.reads.programsIn(text)) state.trace.programs.add(name);
    }
  }

  fail(state, line, quoted) {
    const { reads, first, unquoted, traces } = this;
    if (!quoted && first.length < reads._MOST_KEPT && reads.failsFirst(line.text)) first.push(line);
    if (!reads.isException(line.text)) return;
    state.exception = line;
    if (!quoted && unquoted.length < reads._MOST_KEPT) unquoted.push(line);
    const { trace } = state;
    if (!trace || trace.end) return;
    trace.end = line.number;
    if (trace.programs.size && traces.length < reads._MOST_KEPT) traces.push(trace);
  }

  cameFirst = ({ number, text }) => `line ${number} came first: ${this.cut(text)}`;

  cut(text) {
    const most = this.reads._LONGEST_SHOWN;
    return size(text) <= most ? text : `${[...text].slice(0, most).join("")} …`;
  }
}
