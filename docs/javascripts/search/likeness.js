// How like a text is to each public report that the base was built on (search/likeness.py).
export function likener(index, { terms, isCommon }) {
  const R = index.rules.likeness;
  const count = index.reports.length;
  const heard = (term) => (Object.hasOwn(index.heard, term) ? index.heard[term] : []);

  // The vector of a text, made one long.
  function direction(questions) {
    const parts = new Map();
    for (const { text, weight } of questions) {
      for (const term of terms(text)) parts.set(term, Math.max(parts.get(term) ?? 0, weight));
    }
    let square = 0;
    for (const [term, weight] of parts) {
      const among = heard(term).length;
      const part = weight * (Math.log(1 + (count - among + 0.5) / (among + 0.5)) * (isCommon(term) ? R._COMMON : 1));
      parts.set(term, part);
      square += part * part;
    }
    const length = Math.sqrt(square);
    return length ? [...parts].map(([term, part]) => [term, part / length]) : [];
  }

  // For each record that a report is known of, how like the text is to the likest, and to its likest three.
  return (asked) => {
    const heaviest = [...asked].sort((one, other) => other.weight - one.weight).slice(0, R._MOST_QUESTIONS);
    const found = new Map();
    for (const [term, part] of direction(heaviest)) {
      for (const [report, weight] of heard(term)) found.set(report, (found.get(report) ?? 0) + (part * weight) / R.SCALE);
    }
    const byRecord = new Map();
    for (const [report, likeness] of found) {
      const name = index.ids[index.reports[report]];
      if (!byRecord.has(name)) byRecord.set(name, []);
      byRecord.get(name).push(likeness);
    }
    return new Map([...byRecord].map(([name, values]) => [name, alike(values.sort((one, other) => other - one))]));
  };

  function alike(values) {
    const together = values.slice(0, R._MOST_TOGETHER).reduce((sum, value) => sum + value, 0);
    return { likest: values[0], together };
  }
}
