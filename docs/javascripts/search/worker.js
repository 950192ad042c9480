// Searches beside the page, so that typing never waits. The text goes no further than here.
import { Engine, Search } from "./engine.js";
import { decoderFor } from "./lines.js";

const PIECE = 1 << 20;
const engine = load();

async function load() {
  const response = await fetch(new URL("../../search.json", import.meta.url));
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  return new Engine(await response.json());
}

self.addEventListener("message", async ({ data: { id, text, file, target } }) => {
  try {
    const search = new Search(await engine);
    const began = performance.now();
    if (file) await feed(search, file);
    else search.feed(text);
    const answer = search.answer(target);
    self.postMessage({ id, answer, lines: search.splitter.number, milliseconds: performance.now() - began });
  } catch (error) {
    self.postMessage({ id, failed: String(error?.message ?? error) });
  }
});

// A file of any size in bounded memory.
async function feed(search, file) {
  let decoder = null;
  for (let at = 0; at < file.size; at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    decoder ??= decoderFor(search.engine.index.rules.lines, bytes);
    search.feed(decoder.decode(bytes, { stream: true }));
  }
  if (decoder) search.feed(decoder.decode());
}
