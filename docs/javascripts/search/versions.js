// Whether a version lies in a range of releases (hardware/versions.py); the order is PEP 440's.
const VERSION = new RegExp(
  "^v?(?:(?<epoch>\\d+)!)?(?<release>\\d+(?:\\.\\d+)*)(?:[-_.]?(?<kind>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<pre>\\d*))?" +
    "(?:-(?<bare>\\d+)|[-_.]?(?<posted>post|rev|r)[-_.]?(?<post>\\d*))?(?:[-_.]?(?<isdev>dev)[-_.]?(?<dev>\\d*))?" +
    "(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$",
  "i",
);
const BUILD = /^(?:cu[0-9]{2,4}|cpu|xpu|rocm[0-9.]*|cu[0-9]{2,4}\.?torch[0-9.]+)$/;
const KINDS = { alpha: "a", beta: "b", preview: "rc", pre: "rc", c: "rc" };

export function parseVersion(text) {
  const match = text.length <= 200 ? VERSION.exec(text.trim()) : null;
  if (!match) return null;
  const { epoch, release, kind, pre, bare, posted, post, isdev, dev, local } = match.groups;
  const name = kind?.toLowerCase();
  return {
    epoch: Number(epoch ?? 0),
    release: release.split(".").map(Number),
    pre: name ? [KINDS[name] ?? name, Number(pre || 0)] : null,
    post: bare !== undefined || posted ? Number(bare ?? (post || 0)) : null,
    dev: isdev ? Number(dev || 0) : null,
    local: local?.toLowerCase().replace(/[-_]/g, ".") ?? null,
  };
}

// The public part alone: local parts do not order here.
export function compareVersions(one, other) {
  return one.epoch - other.epoch || compareLists(trim(one.release), trim(other.release)) || compareLists(key(one), key(other));
}

function trim(release) {
  const last = release.findLastIndex((part) => part > 0);
  return release.slice(0, last + 1);
}

// A development release comes before a pre-release, that before the release, and that before a post-release.
function key({ pre, post, dev }) {
  const first = pre ? ["a", "b", "rc"].indexOf(pre[0]) : dev !== null && post === null ? -1 : 3;
  return [first, pre ? pre[1] : 0, post ?? -1, dev ?? Infinity];
}

function compareLists(one, other) {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [a, b] = [one[at] ?? -1, other[at] ?? -1];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

function near(version, end) {
  const [[major, minor = 0], [otherMajor, otherMinor = 0]] = [version.release, end.release];
  if (version.epoch !== end.epoch) return false;
  if (major === otherMajor) return Math.abs(minor - otherMinor) <= 1;
  const higher = compareVersions(version, end) >= 0 ? version : end;
  return Math.abs(major - otherMajor) === 1 && (higher.release[1] ?? 0) === 0;
}

// "yes", "no" or "unknown". span: {introduced, fixed, last_bad}, final releases or null.
export function holds({ introduced, fixed, last_bad: lastBad }, text) {
  let found = parseVersion(text);
  if (!found) return "unknown";
  const final = !found.pre && found.dev === null && (found.local === null || BUILD.test(found.local));
  if (!final) {
    const ends = [introduced, fixed, lastBad].filter((end) => end !== null).map(parseVersion);
    if (ends.some((end) => near(found, end))) return "unknown";
    found = { ...found, pre: null, post: null, dev: null };
  }
  if (introduced !== null && compareVersions(found, parseVersion(introduced)) < 0) return "no";
  if (fixed !== null) return compareVersions(found, parseVersion(fixed)) < 0 ? "yes" : "no";
  if (lastBad !== null && compareVersions(found, parseVersion(lastBad)) > 0) return "unknown";
  return "yes";
}
