// The index as search.json packs it (site/feeds/packed.py), made whole again.
const TRUTHS = { y: "yes", n: "no", u: "unknown" };

export function whole(index) {
  const hardware = index.hardware.map((one) => hardwareOf(one, index.targets));
  const records = Object.entries(index.records).map(([id, entry]) => [id, recordOf(id, entry, hardware, index.absent)]);
  return {
    ...index,
    records: Object.fromEntries(records),
    words: mapped(index.words),
    heard: mapped(index.heard),
  };
}

function recordOf(id, entry, hardware, absent) {
  const found = { ...absent.record, ...entry, id };
  return {
    ...found,
    signatures: found.signatures.map((one) => ({ ...absent.signature, ...one })),
    affects: found.affects.map((one) => ({ ...one, hardware: hardware[one.hardware] })),
  };
}

function hardwareOf({ by_target: letters, ...rest }, targets) {
  const having = (truth) => targets.filter((_, place) => TRUTHS[letters[place]] === truth);
  return { ...rest, yes: having("yes"), no: having("no") };
}

const mapped = (held) => Object.fromEntries(Object.entries(held).map(([name, flat]) => [name, pairs(flat)]));

function pairs(flat) {
  const found = [];
  let position = 0;
  for (let place = 0; place < flat.length; place += 2) {
    position += flat[place];
    found.push([position, flat[place + 1]]);
  }
  return found;
}
