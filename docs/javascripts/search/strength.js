// How strong a *looks like* is (search/strength.py). weights: what speaks for each record, highest first.
// unsure: something speaks against the first, or too little of it was met.
export function strength(R, [first, second = 0], unsure) {
  if (first <= 0) return "weak";
  const lead = second > 0 ? Math.min(R._MOST_LEAD, first / second) : R._MOST_LEAD;
  const likely = 1 / (1 + Math.exp(-(R._START + R._WEIGHT * Math.log(first) + R._LEAD * Math.log(lead))));
  if (likely >= R._STRONG && !unsure) return "strong";
  return likely >= R._FAIR ? "fair" : "weak";
}
