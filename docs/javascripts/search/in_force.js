import { Pattern } from "./patterns.js";

// Which settings a text says are in force (search/in_force.py).
const VALUE = (between) => `['"]?\\s*(?:${between})\\s*['"]?(?:torch\\.)?([A-Za-z0-9_.]+)`;
// The value of one key of a JSON object, a dict or a printed configuration.
const KEYED = (key) =>
  new RegExp(`^[^})]*?(?<![\\p{L}\\p{N}_-])${escape(key)}['"\\\\]*\\s*[:=]\\s*['"\\\\]*([A-Za-z0-9_.]+)`, "u");
const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const stating = (spelling, between, quote = "") =>
  new RegExp(`(?<![\\p{L}\\p{N}_-])${quote}${escape(spelling)}${VALUE(between)}`, "gu");
// As vLLM takes it too: `--kv_cache_dtype`.
const underscored = (flag) => flag.replace(/^(-*)(.*)$/u, (_, dashes, bare) => dashes + bare.replaceAll("-", "_"));
const spellings = (flags) => [...new Set(flags.flatMap((flag) => [flag, underscored(flag)]))];

export function settingsReader(index) {
  const { _BOOLEANS, SAYS_SO, _ADVICE } = index.rules.in_force;
  const advice = new Pattern(_ADVICE);
  const known = Object.entries(index.settings).map(([name, told]) => ({
    name,
    told,
    spellings: [name, ...spellings(told.flags), ...told.within, ...(told.variable ? [told.variable] : [])],
    asked: [
      ...spellings(told.flags).map((flag) => stating(flag, "=|\\s")),
      ...(told.variable ? [stating(told.variable, "=")] : []),
    ],
    first: stating(name, "[=:]|\\s"),
    within: stating(name, "[=:]"),
    keyed: stating(name, ":", `["']`),
  }));

  function plain(said, { values, same }) {
    let value = said.replace(/\.+$/, "");
    if (values.length === 2 && values[0] === "true" && values[1] === "false") {
      value = value.toLowerCase();
      if (Object.hasOwn(_BOOLEANS, value)) value = _BOOLEANS[value];
    }
    if (Object.hasOwn(same, value)) value = String(same[value]);
    return value === "None" || (values.length && !values.includes(value)) ? null : value;
  }

  // A bare name counts where the line is about a configuration, begins with it, or has it as a JSON key.
  function stated(line, { name, told, asked, first, within, keyed }) {
    const begins = line.startsWith(name);
    const patterns = [...asked];
    if (begins || SAYS_SO.some((word) => line.toLowerCase().includes(word))) patterns.push(begins ? first : within);
    patterns.push(keyed);
    const values = patterns.flatMap((pattern) => [...line.matchAll(pattern)].map(([, value]) => value));
    for (const holder of told.within) {
      const start = line.indexOf(holder);
      const [, value] = (start < 0 ? null : line.slice(start + holder.length).match(KEYED(told.key))) ?? [];
      if (value) values.push(value);
    }
    return values.map((value) => plain(value, told)).filter((value) => value !== null);
  }

  // Name to the values that are told, mostly one. One that leaves it open counts as none.
  return (lines) => {
    const found = new Map();
    for (const whole of lines) {
      const line = whole.slice(0, advice.search(whole)?.index);
      for (const setting of known) {
        if (!setting.spellings.some((spelling) => line.includes(spelling))) continue;
        const held = found.get(setting) ?? new Set();
        for (const value of stated(line, setting)) held.add(value);
        found.set(setting, held);
      }
    }
    const kept = [...found].filter(([{ told }, values]) => values.size && !(values.has("auto") && told.open));
    return Object.fromEntries(kept.map(([{ name }, values]) => [name, [...values]]));
  };
}
