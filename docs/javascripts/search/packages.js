// Which package a line of a log is from (search/packages.py).
import { Pattern } from "./patterns.js";

export function packager(rules) {
  const { _HOME, _INSTALLED, _SOURCE, _CLASS, _TAG, _OTHERWISE, APART, BENEATH, PROGRAMS } = rules.packages;
  const [home, installed, source, ofClass, tag] = [_HOME, _INSTALLED, _SOURCE, _CLASS, _TAG].map((one) => new Pattern(one));
  const [apart, beneath, programs] = [APART, BENEATH, PROGRAMS].map((one) => new Set(one));

  // An import's or an installed name as records have it.
  function named(name) {
    const plain = name.toLowerCase().replaceAll("_", "-");
    return Object.hasOwn(_OTHERWISE, plain) ? _OTHERWISE[plain] : plain;
  }

  // The packages whose files a line names.
  function codeIn(text) {
    let found = installed.findall(text);
    if (!found.length) found = source.findall(home.sub("/", text)).slice(0, 1);
    return found.map(([, name]) => named(name));
  }

  // The programs whose error a line is, by the class of the exception or the tag of the logger.
  function programsOf(text, message) {
    const said = [...ofClass.findall(message), ...tag.findall(text)].flatMap(([, ...names]) => names.filter(Boolean));
    return said.map(named).filter((name) => programs.has(name));
  }

  // A package that the failure is of and nothing is claimed about, null where there is none.
  function strange(claimed, seen, around) {
    const known = new Set([...claimed].map(named));
    const told = [...seen, ...around.filter((name) => programs.has(name) || beneath.has(name))];
    if (!known.size) return null;
    if ([...known].every((name) => beneath.has(name))) {
      return told.some((name) => known.has(name)) ? null : (told.find((name) => apart.has(name)) ?? null);
    }
    if (told.some((name) => known.has(name) && !beneath.has(name))) return null;
    return told.find((name) => !known.has(name) && !beneath.has(name)) ?? null;
  }

  return { codeIn, programsOf, strange };
}
