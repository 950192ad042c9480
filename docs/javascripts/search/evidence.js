// What a paste says about its machine (search/evidence.py). Only plain facts are read.
import { settingsReader } from "./in_force.js";
import { Pattern, rstrip } from "./patterns.js";

const squeezed = (name) => name.toLowerCase().replace(/[ _-]/g, "");
const patternsOf = (rules, names) => names.map((name) => new Pattern(rules[name]));

// Whether a line may say which card, version or setting is there; to be kept of a long text.
export function factTeller(rules) {
  const R = rules.evidence;
  const names = ["_VERSION", "_ROW", "_ENGINE", "_NAMED", "_ITS_VERSION", "_TARGET", "_SM", "_ARCH", "_CAPABILITY", "_PARTS", "_OWN", "_CARD"];
  const signs = patternsOf(R, names);
  return (line) => {
    const lowered = line.toLowerCase();
    if (rules.in_force.SAYS_SO.some((word) => lowered.includes(word))) return true;
    return R._HINTS.some((hint) => lowered.includes(hint)) && signs.some((sign) => sign.search(line));
  };
}

export function factFinder(index) {
  const R = index.rules.evidence;
  const [target, sm, arch, capability, parts] = patternsOf(R, ["_TARGET", "_SM", "_ARCH", "_CAPABILITY", "_PARTS"]);
  const [own, need, here, card, device] = patternsOf(R, ["_OWN", "_NEED", "_HERE", "_CARD", "_DEVICE_NAME"]);
  const { card_names: names } = index.rules;
  const needed = new Pattern(names._NEEDED);
  const [version, row, engine, named, itsVersion] = patternsOf(R, ["_VERSION", "_ROW", "_ENGINE", "_NAMED", "_ITS_VERSION"]);
  const cardNames = new Pattern(index.card_pattern);
  const cardKeys = new Map(Object.entries(index.cards).map(([name, found]) => [squeezed(name), found]));
  const signs = Object.entries(R._VENDOR_SIGNS).map(([vendor, one]) => [vendor, new Pattern(one)]);
  const inForce = settingsReader(index);

  // What a line that states no need says that code is compiled for, or that the card is.
  function targetsIn(line) {
    const found = target.findall(line).map(([, name]) => name);
    found.push(...sm.findall(line).map(([, one]) => `sm_${one}`));
    found.push(...arch.findall(line).flatMap(([, ...archs]) => archs.filter(Boolean).map((one) => `sm_${one}`)));
    const capabilities = [...capability.findall(line), ...(line.includes("gfx") ? [] : parts.findall(line))];
    return [...found, ...capabilities.map(([, major, minor]) => `sm_${major}${minor}`)];
  }

  function versionsIn(line, previous) {
    const found = [...version.findall(line), ...row.findall(line)].map(([, name, number]) => [name.toLowerCase(), number]);
    found.push(...engine.findall(line).map(([, number]) => ["vllm", number]));
    const [name, number] = [named.search(previous), itsVersion.search(line)];
    if (name && number) found.push([name[1].toLowerCase(), number[1]]);
    return found;
  }

  // full: only cards named as the driver names them, and not as what is needed.
  function cardsIn(line, full) {
    return cardNames.findall(line).flatMap((match) => {
      const [driver, compiledFor] = cardKeys.get(squeezed(match[1]));
      const told = match[0].toLowerCase();
      const asDriven = names._MAKERS.some((maker) => told.startsWith(maker)) && squeezed(told) === squeezed(driver);
      if (full && !(asDriven && !needed.search(rstrip(line.slice(0, match.index))))) return [];
      return [[driver, compiledFor]];
    });
  }

  // {cards, software, settings, either} as the lines say, null when they say nothing of a machine. either: what
  // is told in several ways.
  return (lines) => {
    const targets = new Set();
    const cards = new Map();
    const vendors = new Set();
    const versions = new Map();
    const settings = inForce(lines);
    let before = "";
    for (let line of lines) {
      const previous = before;
      before = line;
      const lowered = line.toLowerCase();
      if (!R._HINTS.some((hint) => lowered.includes(hint))) continue;
      for (const [vendor, sign] of signs) if (sign.search(line)) vendors.add(vendor);
      for (const [name, number] of versionsIn(line, previous)) versions.set(name, (versions.get(name) ?? new Set()).add(number));
      for (const [, major, minor] of own.findall(line)) targets.add(`sm_${major}${minor}`);
      line += device.findall(line).map(([, name]) => ` ${name.replaceAll("_", " ")}`).join("");
      const needs = Boolean(need.search(line));
      if (card.search(line)) for (const [name, compiledFor] of cardsIn(line, needs && !here.search(line))) cards.set(name, compiledFor);
      const stated = new Set(needs ? [] : targetsIn(line));
      if (stated.size === 1) for (const name of stated) targets.add(name); // more are what a build is for
    }
    const told = Object.fromEntries([...versions].map(([name, seen]) => [name, distinct([...seen])]));
    const said = targets.size + cards.size + vendors.size + Object.keys({ ...told, ...settings }).length;
    if (!said) return null;
    const found = cardsOf(index.targets, targets, cards, vendors);
    return {
      cards: found.length === 1 ? found : null,
      software: once(told),
      settings: once(settings),
      either: { cards: found.length > 1 ? found : [], software: several(told), settings: several(settings) },
    };
  };
}

const pick = (told, wanted) => Object.entries(told).filter(([name, values]) => wanted(values, name));
const once = (told) => Object.fromEntries(pick(told, ({ length }) => length === 1).map(([name, [only]]) => [name, only]));
const several = (told) => Object.fromEntries(pick(told, ({ length }) => length > 1));

// Without those that another one gives with its build: `0.25.0` beside `0.25.0+cu129`.
const distinct = (told) => told.filter((one) => !told.some((other) => other.startsWith(`${one}+`)));

// Each card that may be the one: those named, and targets that none of these has.
function cardsOf(known, names, cards, vendors) {
  if (!names.size && !cards.size) {
    return [...vendors].map((vendor) => ({ name: `a card of ${vendor.toUpperCase()}`, target: null, vendor }));
  }
  const held = new Set(cards.values());
  const stated = known.filter((target) => names.has(target) && !held.has(target));
  return [...[...cards].map(([name, target]) => ({ name, target })), ...stated.map((target) => ({ name: target, target }))];
}

// What is known, filled up with what was read.
export function merge(known, read) {
  if (!known || !read) return known ?? read;
  const unknown = (told, among) => Object.fromEntries(pick(told, (_, name) => !Object.hasOwn(among, name)));
  return {
    cards: known.cards ?? read.cards,
    software: { ...read.software, ...known.software },
    settings: { ...read.settings, ...known.settings },
    either: {
      cards: known.cards ? [] : read.either.cards,
      software: unknown(read.either.software, known.software),
      settings: unknown(read.either.settings, known.settings),
    },
  };
}
