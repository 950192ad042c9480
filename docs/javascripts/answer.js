// An answer as elements. Whatever stands in it is text: nothing here is ever read as HTML.
const HEADS = {
  "this-is-it": "This is it",
  "looks-like": "It looks like",
  "not-known": "Not known",
};
const HOW_STRONG = {
  strong: "A strong likeness, no proof: measured, nine in ten such answers were right.",
  fair: "A fair likeness: measured, four in five such answers were right. Confirm it first.",
  weak: "A weak likeness: measured, half such answers were wrong, more where the cause is new.",
};

export function show(place, { answer, lines, milliseconds }, file) {
  const head = element("h2", { class: `gg-verdict gg-${answer.answer}` }, HEADS[answer.answer]);
  const parts = [head, ...answer.results.map((one) => result(one, answer.answer === "this-is-it"))];
  if (answer.strength) parts.splice(1, 0, element("p", { class: "gg-strength" }, HOW_STRONG[answer.strength]));
  if (!answer.results.length) parts.push(...unknown(answer));
  const where = file ? `${file}: ` : "";
  const took = milliseconds < 10 ? "less than 10" : Math.round(milliseconds);
  parts.push(
    element("p", { class: "gg-took" }, `${where}${lines} ${lines === 1 ? "line" : "lines"} searched on your machine in ${took} ms.`),
  );
  place.replaceChildren(...parts);
}

export function showWaiting(place) {
  place.replaceChildren(element("p", { class: "gg-took" }, "Looking …"));
}

export function showFailure(place, why) {
  place.replaceChildren(
    element("p", {}, `The search could not run here: ${why}. `, element("a", { href: "gotchas/" }, "All gotchas"), " can be read and filtered."),
  );
}

function result(one, certain) {
  const address = one.status === "candidate" ? `candidates/#${one.id}` : `gotchas/${one.id}/`;
  const parts = [element("h3", {}, element("a", { href: address }, one.title), " ", ...chips(one))];
  if (one.withdrawn) parts.push(element("p", {}, `Withdrawn, because: ${one.withdrawn.because}`));
  if (one.rests_on) parts.push(element("p", { class: "gg-rests" }, element("code", {}, cut(one.rests_on))));
  if (one.helped) parts.push(element("p", {}, element("strong", {}, "Reported to help: "), ...prose(one.helped)));
  if (one.believed) parts.push(element("p", {}, element("strong", {}, "Believed: "), one.believed));
  if (one.do) parts.push(element("p", {}, element("strong", {}, "Do: "), ...prose(one.do)));
  for (const way of one.otherwise) parts.push(element("p", {}, element("strong", {}, "Or: "), ...prose(way)));
  if (one.disagreed.length) parts.push(element("p", {}, `Against it: ${one.disagreed.join("; ")}.`));
  if (!certain && one.confirm && !one.confirm.startsWith("a repro: ")) parts.push(element("p", {}, `It would be certain with: ${cut(one.confirm)}.`));
  for (const [id, how] of Object.entries(one.tell_apart)) parts.push(element("p", {}, `Not ${id}, unless: ${how}`));
  parts.push(element("p", { class: "gg-why" }, `${one.why}.`));
  return element("article", {}, ...parts);
}

function chips({ severity, status }) {
  const said = [];
  if (severity) said.push(element("span", { class: `gg-chip gg-${severity}` }, severity));
  const words = { candidate: "believed, not proven", draft: "not proven", contested: "contested" }[status];
  if (words) said.push(element("span", { class: "gg-chip gg-status-draft" }, words));
  return said;
}

const UNKNOWN = {
  failure: "Nothing in it reads like a failure. If something goes wrong all the same, what would tell is:",
  cause: "Only the echo of a failure is in it, which is printed whatever the cause was. What would tell is:",
};

function unknown({ nearest, collect, lacks }) {
  const parts = [element("p", {}, UNKNOWN[lacks] ?? "No record fits. What would help somebody to find out:")];
  parts.push(element("ul", {}, ...collect.map((one) => element("li", {}, one))));
  if (nearest) parts.push(element("p", { class: "gg-why" }, `Nearest was ${nearest.title}: ${nearest.why}.`));
  return parts;
}

// A pair of backticks makes code, as on the pages.
function prose(text) {
  return text.split(/`([^`]+)`/).map((piece, place) => (place % 2 ? element("code", {}, piece) : piece));
}

const cut = (text) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
