// A record's claim held against what is known of a machine (search/conditions.py). Truths are "yes", "no" and
// "unknown". What is claimed of hardware was decided for every target when the site was built.
import { holds } from "./versions.js";

export const NOTHING_KNOWN = { truth: "unknown", agreed: [], disagreed: [] };

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
    onHardware(hardware, machine.cards),
    ...Object.entries(software).map(([name, ranges]) => onSoftware(name, ranges, machine.software)),
    ...platform.map((name) => ["unknown", `platform ${name}`]),
    ...Object.keys(when).map(() => ["unknown", ""]),
  ];
}

function onHardware(hardware, cards) {
  const truth = cards ? hardwareTruth(hardware, cards[0].target) : hardware.without;
  if (!cards || hardware.claimed === "any hardware") return [truth, ""];
  const names = cards.map(({ name, target }) => (name === target ? name : `${name} (${target})`)).join(", ");
  return [truth, `${names}: the record is about ${hardware.claimed}`];
}

const hardwareTruth = ({ yes, no }, target) => (yes.includes(target) ? "yes" : no.includes(target) ? "no" : "unknown");

function onSoftware(name, ranges, software) {
  if (!Object.hasOwn(software, name)) return ["unknown", ""];
  const version = software[name];
  const truth = some(ranges.map((span) => holds(span, version)));
  return [truth, `${name} ${version}: the record is about ${ranges.map(describe).join(" or ")}`];
}

function describe({ introduced: first, fixed, last_bad: last }) {
  if (last) return first ? `${first} to ${last}` : `up to ${last}`;
  if (fixed) return first ? `${first} to before ${fixed}` : `before ${fixed}`;
  return first ? `${first} and newer` : "every version";
}
