// A record's claim held against what is known of a machine (search/conditions.py). Truths are "yes", "no" and
// "unknown". What is claimed of hardware was decided for every target when the site was built.
import { holds } from "./versions.js";

export const NOTHING_KNOWN = { truth: "unknown", agreed: [], disagreed: [] };
export const NOTHING_TOLD = { cards: [], software: {}, settings: {} };

export function every(truths) {
  return truths.includes("no") ? "no" : truths.includes("unknown") ? "unknown" : "yes";
}

export function some(truths) {
  return truths.includes("yes") ? "yes" : truths.includes("unknown") ? "unknown" : "no";
}

export function assess(affects, machine) {
  if (!affects.length || !machine) return NOTHING_KNOWN;
  const cases = affects.map((one) => partsOf(one, machine));
  const truths = cases.map((parts) => every(parts.map(([held]) => held)));
  const truth = some(truths);
  const possible = cases.filter((_, place) => truths[place] !== "no");
  const shown = possible.length ? possible : cases;
  const said = (among, wanted) => among.flat().filter(([held, text]) => held === wanted && text).map(([, text]) => text);
  return {
    truth,
    agreed: [...new Set(said(shown, "yes"))],
    disagreed: truth === "no" ? [...new Set(said(cases, "no"))] : [],
  };
}

function partsOf({ hardware, software, platform, when }, machine) {
  return [
    onHardware(hardware, machine),
    ...Object.entries(software).map(([name, ranges]) => onSoftware(name, ranges, machine)),
    ...platform.map((name) => ["unknown", `platform ${name}`]),
    ...Object.entries(when).map(([name, values]) => onSetting(name, values, machine)),
  ];
}

// The one answer to a question, "unknown" where there are two.
const alike = (truths) => (new Set(truths).size === 1 ? truths[0] : "unknown");

function onHardware(hardware, { cards, either }) {
  const told = cards ?? either.cards;
  const truth = told.length ? alike(told.map((card) => hardwareTruth(hardware, card))) : hardware.without;
  if (!told.length || hardware.claimed === "any hardware") return [truth, ""];
  const names = told.map(({ name, target }) => (name === target || !target ? name : `${name} (${target})`)).join(", ");
  return [truth, `${names}: the record is about ${hardware.claimed}`];
}

function hardwareTruth({ yes, no, vendors }, { target, vendor }) {
  if (!target) return vendors[vendor];
  return yes.includes(target) ? "yes" : no.includes(target) ? "no" : "unknown";
}

// What is told of one thing, in one way or in several.
const told = (name, once, several) => (Object.hasOwn(once, name) ? [once[name]] : Object.hasOwn(several, name) ? several[name] : []);

function onSetting(name, values, { settings, either }) {
  const found = told(name, settings, either.settings);
  if (!found.length) return ["unknown", ""];
  const truth = alike(found.map((value) => (values.includes(value) ? "yes" : "no")));
  return [truth, `${name}=${found.join(" or ")}: the record is about ${values.join(" or ")}`];
}

function onSoftware(name, ranges, { software, either }) {
  const found = told(name, software, either.software);
  if (!found.length) return ["unknown", ""];
  const truth = alike(found.map((version) => some(ranges.map((span) => holds(span, version)))));
  return [truth, `${name} ${found.join(" or ")}: the record is about ${ranges.map(describe).join(" or ")}`];
}

function describe({ introduced: first, fixed, last_bad: last }) {
  if (last) return first ? `${first} to ${last}` : `up to ${last}`;
  if (fixed) return first ? `${first} to before ${fixed}` : `before ${fixed}`;
  return first ? `${first} and newer` : "every version";
}
