// What a short text says beside an error (search/beside.py).
import { Pattern, split } from "./patterns.js";

export function besideReader({ beside: R, common_words: { ENGLISH } }) {
  const [gone, heading, fence] = [R._GONE, R._HEADING, R._FENCE].map((one) => new Pattern(one));
  const english = new Set(ENGLISH);

  // Whether words follow on a fenced block.
  function explained(lines) {
    const fences = lines.flatMap((text, place) => (fence.match(text) ? [place] : []));
    if (fences.length < 2) return false;
    const before = lines.slice(0, fences.at(-1) + 1).filter(Boolean);
    // Lines that were put together come last, and begin as the first of their pieces.
    const behind = lines.slice(fences.at(-1) + 1).filter((text) => !before.some((one) => text.startsWith(one)));
    return split(behind.join(" ").toLowerCase()).filter((word) => english.has(word)).length > 1;
  }

  // The line that takes the certainty from what else is there, as a clause. count: of how many these are.
  return (lines, count) => {
    if (count > R.MOST) return null;
    const telling = lines.find((text) => gone.search(text) || heading.search(text));
    if (telling === undefined) return explained(lines) ? "the text goes on in words behind it" : null;
    return `beside it stands: ${[...telling].slice(0, 80).join("")}`;
  };
}
