// The few lines of a text that word ranking and evidence look at (search/gist.py).
export class Gist {
  constructor(rules, isTrouble, statesAFact) {
    this.rules = rules.gist;
    this.isTrouble = isTrouble;
    this.statesAFact = statesAFact;
    this.told = new Set();
    this.count = 0;
    this.first = [];
    this.last = [];
    this.recent = [];
    this.trouble = new Set();
    this.lastTrouble = [];
  }

  feed(lines) {
    for (const { text } of lines) {
      if (!text) continue;
      this.count += 1;
      if (this.count <= this.rules._MOST_AROUND) this.first.push(text);
      else this.sift(text);
    }
  }

  sift(text) {
    const { _MOST_AROUND, _BEFORE_TROUBLE, _MOST_TOLD, _MOST_TROUBLE } = this.rules;
    if (this.told.size < _MOST_TOLD && this.statesAFact(text)) this.told.add(text);
    if (!this.isTrouble(text)) {
      keep(this.last, [text], _MOST_AROUND);
      keep(this.recent, [text], _BEFORE_TROUBLE);
      return;
    }
    const told = [...this.recent, text];
    this.recent.length = 0;
    if (this.trouble.size < _MOST_TROUBLE) for (const one of told) this.trouble.add(one);
    else keep(this.lastTrouble, told, _MOST_TROUBLE);
  }

  get kept() {
    return [...this.first, ...this.trouble, ...this.lastTrouble];
  }

  get facts() {
    return [...this.kept, ...this.told, ...this.last];
  }
}

function keep(held, more, most) {
  held.push(...more);
  if (held.length > most) held.splice(0, held.length - most);
}
