// What a paste says about its machine (search/evidence.py). Only plain facts are read.
import { settingsReader } from "./in_force.js";
import { Pattern } from "./patterns.js";

export function factFinder(index) {
  const R = index.rules.evidence;
  const patterns = [R._TARGET, R._ARCH, R._CAPABILITY, R._PARTS, R._OWN, R._NEED, R._VERSION, R._CARD, R._DEVICE_NAME];
  const [target, arch, capability, parts, own, need, version, card, device] = patterns.map((one) => new Pattern(one));
  const cardNames = new Pattern(index.card_pattern);
  const signs = Object.entries(R._VENDOR_SIGNS).map(([vendor, one]) => [vendor, new Pattern(one)]);
  const inForce = settingsReader(index);

  // What a line that states no need says that code is compiled for, or that the card is.
  function targetsIn(line) {
    const found = target.findall(line).map(([, name]) => name);
    found.push(...arch.findall(line).flatMap(([, ...archs]) => archs.filter(Boolean).map((one) => `sm_${one}`)));
    const capabilities = [...capability.findall(line), ...(line.includes("gfx") ? [] : parts.findall(line))];
    return [...found, ...capabilities.map(([, major, minor]) => `sm_${major}${minor}`)];
  }

  // {cards, software, settings} as the lines say, null when they say nothing of a machine.
  return (lines) => {
    const targets = new Set();
    const cards = new Map();
    const vendors = new Set();
    const versions = new Map();
    const settings = inForce(lines);
    for (let line of lines) {
      const lowered = line.toLowerCase();
      if (!R._HINTS.some((hint) => lowered.includes(hint))) continue;
      for (const [vendor, sign] of signs) if (sign.search(line)) vendors.add(vendor);
      for (const [, name, number] of version.findall(line)) {
        const key = name.toLowerCase();
        versions.set(key, (versions.get(key) ?? new Set()).add(number));
      }
      for (const [, major, minor] of own.findall(line)) targets.add(`sm_${major}${minor}`);
      if (need.search(line)) continue;
      for (const name of targetsIn(line)) targets.add(name);
      line += device.findall(line).map(([, name]) => ` ${name.replaceAll("_", " ")}`).join("");
      if (card.search(line)) {
        for (const [, name] of cardNames.findall(line)) {
          const [driver, compiledFor] = index.cards[name.toLowerCase()];
          cards.set(driver, compiledFor);
        }
      }
    }
    const software = Object.fromEntries(
      [...versions].filter(([, seen]) => seen.size === 1).map(([name, [only]]) => [name, only]),
    );
    const said = targets.size + cards.size + vendors.size + Object.keys({ ...software, ...settings }).length;
    return said ? { cards: cardsOf(index.targets, targets, cards, vendors), software, settings } : null;
  };
}

function cardsOf(known, names, cards, vendors) {
  if (!names.size && !cards.size) {
    const [vendor] = vendors;
    return vendors.size === 1 ? [{ name: `a card of ${vendor.toUpperCase()}`, target: null, vendor }] : null;
  }
  const stated = known.filter((target) => names.has(target));
  if (names.size > 1 || cards.size > 1) return null;
  for (const [name, target] of cards) {
    const agrees = !stated.length || (stated.length === 1 && stated[0] === target);
    return agrees ? [{ name, target }] : null;
  }
  return stated.length ? stated.map((target) => ({ name: target, target })) : null;
}

// What is known, filled up with what was read.
export function merge(known, read) {
  if (!known || !read) return known ?? read;
  return {
    cards: known.cards ?? read.cards,
    software: { ...read.software, ...known.software },
    settings: { ...read.settings, ...known.settings },
  };
}
