// Which settings a text says are in force (search/in_force.py).
const VALUE = (between) => `['"]?\\s*(?:${between})\\s*['"]?(?:torch\\.)?([A-Za-z0-9_.]+)`;
// The value of one key of a JSON object, a dict or a printed configuration.
const KEYED = (key) =>
  new RegExp(`^[^})]*?(?<![\\p{L}\\p{N}_-])${escape(key)}['"\\\\]*\\s*[:=]\\s*['"\\\\]*([A-Za-z0-9_.]+)`, "u");
const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const stating = (spelling, between) => new RegExp(`(?<![\\p{L}\\p{N}_-])${escape(spelling)}${VALUE(between)}`, "gu");

export function settingsReader(index) {
  const { _BOOLEANS, _SAYS_SO } = index.rules.in_force;
  const known = Object.entries(index.settings).map(([name, told]) => ({
    name,
    told,
    spellings: [name, ...told.flags, ...told.within, ...(told.variable ? [told.variable] : [])],
    asked: [
      ...told.flags.map((flag) => stating(flag, "=|\\s")),
      ...(told.variable ? [stating(told.variable, "=")] : []),
    ],
    first: stating(name, "[=:]|\\s"),
    within: stating(name, "[=:]"),
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

  // A bare name counts where the line is about a configuration, or begins with it.
  function stated(line, { name, told, asked, first, within }) {
    const begins = line.startsWith(name);
    const patterns = [...asked];
    if (begins || _SAYS_SO.some((word) => line.toLowerCase().includes(word))) patterns.push(begins ? first : within);
    const values = patterns.flatMap((pattern) => [...line.matchAll(pattern)].map(([, value]) => value));
    for (const holder of told.within) {
      const start = line.indexOf(holder);
      const [, value] = (start < 0 ? null : line.slice(start + holder.length).match(KEYED(told.key))) ?? [];
      if (value) values.push(value);
    }
    return values.map((value) => plain(value, told)).filter((value) => value !== null);
  }

  // Name to value. Two values of one setting count as none, as does one that leaves it open.
  return (lines) => {
    const found = new Map();
    for (const line of lines) {
      for (const setting of known) {
        if (!setting.spellings.some((spelling) => line.includes(spelling))) continue;
        const held = found.get(setting) ?? new Set();
        for (const value of stated(line, setting)) held.add(value);
        found.set(setting, held);
      }
    }
    const kept = [...found].filter(([, values]) => values.size === 1).map(([setting, [value]]) => [setting, value]);
    return Object.fromEntries(kept.filter(([{ told }, value]) => value !== "auto" || !told.open).map(([{ name }, value]) => [name, value]));
  };
}
