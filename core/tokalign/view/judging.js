/* What the links of a pair are worth, and which pairs are shown. */
export const harmonic = (x, y) => (x + y ? (2 * x * y) / (x + y) : 0);
export const size = (pair) => Math.max(pair.source.length, pair.target.length);
const key = (i, j) => i + "-" + j;

/* Returns the cells that matter: right, wrong, missing, possible; other = second system only.
   data: of the page; second: whether the second system is judged as if it were the first. */
export function judge(pair, data, threshold, second = false) {
  const cells = new Map(), loose = data.choice === "sure+possible";
  const kinds = new Map((second ? pair.otherRelations || [] : pair.relations).map(([i, j, kind]) => [key(i, j), kind]));
  const sure = new Set(pair.sure.map(([i, j]) => key(i, j))), possible = new Set(pair.possible.map(([i, j]) => key(i, j)));
  for (const [i, j, p = 1] of second ? pair.other : pair.links) {
    if (p < threshold) continue;
    const k = key(i, j), isGold = sure.has(k) || (loose && possible.has(k));
    const status = isGold ? "right" : possible.has(k) ? "possible" : data.has_gold ? "wrong" : "right";
    cells.set(k, { i, j, p, status, kind: kinds.get(k) || "", predicted: true, other: false });
  }
  const add = (i, j, status) => {
    if (!cells.has(key(i, j))) cells.set(key(i, j), { i, j, p: 0, status, kind: "", predicted: false, other: false });
  };
  for (const [i, j] of pair.sure) add(i, j, "missing");
  if (data.has_gold) for (const [i, j] of pair.possible) add(i, j, loose ? "missing" : "possible");
  if (!second) {
    for (const [i, j] of pair.other || []) {
      add(i, j, "other");
      cells.get(key(i, j)).other = true;
    }
  }
  return [...cells.values()];
}

export function count(pair, cells, choice) {
  const wanted = choice === "sure+possible" ? pair.sure.length + pair.possible.length : pair.sure.length;
  let right = 0, found = 0;
  for (const cell of cells) {
    if (!cell.predicted || (cell.status === "possible" && choice === "ignore-possible")) continue;
    found += 1;
    right += cell.status === "right";
  }
  const empty = !found && !wanted;
  const precision = empty ? 1 : found ? right / found : 0, recall = empty ? 1 : wanted ? right / wanted : 0;
  return { precision, recall, f1: harmonic(precision, recall), exact: right === found && right === wanted };
}

/* Sets what a pair can be filtered by: kinds of error, relations, tags (of errors, without gold of
   links), and the words of its links. */
export function mark(pair, data, cells) {
  const marks = { error: new Set(), relation: new Set(), tag: new Set(), links: new Set() };
  for (const cell of cells) {
    const isError = cell.status === "wrong" || cell.status === "missing" || (cell.status === "other" && !data.has_gold);
    if (isError) marks.error.add(cell.status === "other" ? "only the second" : cell.status);
    if (pair.other && cell.predicted && !cell.other) marks.error.add("only the first");
    if (pair.other && cell.status === "other") marks.error.add("only the second");
    if (cell.predicted) {
      if (cell.kind) marks.relation.add(cell.kind);
      marks.links.add(words(pair, cell));
    }
    if (pair.tags && (data.has_gold ? isError : cell.predicted)) marks.tag.add(pair.tags[0][cell.i]).add(pair.tags[1][cell.j]);
  }
  return marks;
}

export const words = (pair, { i, j }) => `${pair.source[i]} ~ ${pair.target[j]}`.toLowerCase();

/* How many pairs have each value; "none" where a pair has no value. */
export function tally(pairs, facet) {
  const counts = new Map();
  for (const { marks } of pairs) {
    for (const value of marks[facet].size ? marks[facet] : ["none"]) counts.set(value, (counts.get(value) || 0) + 1);
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

export const orders = {
  "most harm first": (a, b) => b.harm - a.harm || a.place - b.place,
  "lowest F1 first": (a, b) => a.figures.f1 - b.figures.f1 || a.place - b.place,
  "as in the file": (a, b) => a.place - b.place,
  "longest first": (a, b) => size(b) - size(a) || a.place - b.place,
};

/* What the list shows of a pair: what it is sorted by, or its F1. */
const f1 = (pair) => (100 * pair.figures.f1).toFixed(1);
export const measures = {
  "most harm first": (pair) => (100 * pair.harm).toFixed(2),
  "lowest F1 first": f1,
  "as in the file": f1,
  "longest first": (pair) => `${size(pair)}`,
};

/* The id of a pair; an id of two equal halves is said once. */
export const title = ({ id }) => {
  const half = id.slice(0, (id.length - 1) / 2);
  return half && id === `${half}:${half}` ? half : id;
};

/* Returns the pairs that are asked for: texts and filters as they stand in the address. */
export function chosen(pairs, asked) {
  const text = asked.q.trim().toLowerCase(), longest = Number(asked.longest) || Infinity;
  const has = (pair, facet) => {
    const value = asked[facet], own = pair.marks[facet];
    return !value || (value === "none" ? !own.size : value === "any" ? own.size > 0 : own.has(value));
  };
  return pairs
    .filter((pair) => ["error", "relation", "tag"].every((facet) => has(pair, facet)) && size(pair) <= longest &&
      (!asked.link || pair.marks.links.has(asked.link)) &&
      (!text || [pair.id, title(pair)].some((name) => name.toLowerCase() === text) || (pair.text ??= pair.source.concat(pair.target).join("\n").toLowerCase()).includes(text)))
    .sort(orders[asked.sort]);
}
