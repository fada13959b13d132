"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const percent = (x) => (100 * x).toFixed(1);
const state = { pair: 0, grid: false, turned: false, threshold: 0, shown: [] };

/* Every text reaches the page through textContent, never as markup. */
function make(tag, text, attributes = {}) {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function draw(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  return node;
}

function figures({ title, columns, rows, note }) {
  const table = make("table", null, { class: "figures" });
  table.append(make("caption", title));
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(make("th", column, { scope: "col" }));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((cell, k) => line.append(make(k ? "td" : "th", cell)));
  }
  if (note) {
    const cell = make("td", note, { colspan: columns.length, class: "remark" });
    table.createTFoot().insertRow().append(cell);
  }
  return table;
}

/* Share of right links over confidence; a calibrated system lies on the diagonal. */
function reliability({ bins, links, expected_error: error }) {
  const side = 220, edge = 34, x = (value) => edge + value * side, y = (value) => edge / 2 + (1 - value) * side;
  const figure = make("figure", null, { class: "reliability" });
  figure.append(make("figcaption", "Reliability of confidences"));
  const svg = draw("svg", { width: side + 1.5 * edge, height: side + 1.5 * edge, role: "img",
    "aria-label": `reliability plot of ${links} links, expected calibration error ${percent(error)} points` });
  svg.append(draw("rect", { x: x(0), y: y(1), width: side, height: side, class: "frame" }));
  svg.append(draw("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "ideal" }));
  for (const tick of [0, 0.5, 1]) {
    svg.append(draw("text", { x: x(tick), y: y(0) + 14, "text-anchor": "middle" }, String(tick)));
    svg.append(draw("text", { x: x(0) - 4, y: y(tick) + 4, "text-anchor": "end" }, String(tick)));
  }
  svg.append(draw("text", { x: x(0.5), y: y(0) + 28, "text-anchor": "middle" }, "confidence"));
  svg.append(draw("text", { x: x(0) + 6, y: y(1) + 14 }, "share right"));
  svg.append(draw("polyline", { class: "curve",
    points: bins.map((bin) => `${x(bin.confidence)},${y(bin.right)}`).join(" ") }));
  for (const bin of bins) {
    const dot = draw("circle", { cx: x(bin.confidence), cy: y(bin.right),
      r: 3 + 6 * Math.sqrt(bin.links / links), class: "bin" });
    dot.append(draw("title", {}, `${bin.links} links of mean confidence ${percent(bin.confidence)}: ` +
      `${percent(bin.right)} right`));
    svg.append(dot);
  }
  figure.append(svg);
  return figure;
}

/* F1 of every system with its 95% interval, best first. */
function ladder(systems) {
  const rows = [...systems].sort((a, b) => b.f1 - a.f1), step = 22, side = 320, left = 190;
  const low = Math.min(...rows.map((row) => row.interval[0])), high = Math.max(...rows.map((row) => row.interval[1]));
  const x = (value) => left + ((value - low) / (high - low || 1)) * side, bottom = step * rows.length + 6;
  const figure = make("figure", null, { class: "reliability" });
  figure.append(make("figcaption", "F1 and its 95% interval"));
  const svg = draw("svg", { width: left + side + 60, height: bottom + 20, role: "img",
    "aria-label": rows.map((row) => `${row.name} ${percent(row.f1)}`).join(", ") });
  rows.forEach(({ name, f1, interval: [from, to] }, k) => {
    const y = step * (k + 0.5);
    svg.append(draw("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, name.length > 28 ? name.slice(0, 27) + "…" : name));
    svg.append(draw("line", { x1: x(from), y1: y, x2: x(to), y2: y, class: "span" }));
    const dot = draw("circle", { cx: x(f1), cy: y, r: 4, class: "bin" });
    dot.append(draw("title", {}, `${name}: F1 ${percent(f1)}, ${percent(from)} to ${percent(to)}`));
    svg.append(dot, draw("text", { x: x(to) + 6, y: y + 4 }, percent(f1)));
  });
  svg.append(draw("line", { x1: left, y1: bottom, x2: left + side, y2: bottom, class: "ideal" }));
  svg.append(draw("text", { x: left, y: bottom + 14 }, percent(low)),
    draw("text", { x: left + side, y: bottom + 14, "text-anchor": "end" }, percent(high)));
  figure.append(svg);
  return figure;
}

/* Shows two of the systems: every pair gets their links and the first one's harm. */
function choose(first, second) {
  for (const pair of data.pairs) {
    [pair.links, pair.harm, pair.relations] = pair.systems[first];
    pair.other = first === second ? null : pair.systems[second][0];
  }
}

const key = (i, j) => i + "-" + j;
for (const pair of data.pairs) {
  pair.sureSet = new Set(pair.sure.map(([i, j]) => key(i, j)));
  pair.possibleSet = new Set(pair.possible.map(([i, j]) => key(i, j)));
}

/* Status of every cell that matters: right, wrong, missing, possible; other = second system only. */
function judge(pair) {
  const cells = new Map();
  const loose = data.choice === "sure+possible";
  const kinds = new Map(pair.relations.map(([i, j, kind]) => [key(i, j), kind]));
  const isGold = (k) => pair.sureSet.has(k) || (loose && pair.possibleSet.has(k));
  for (const [i, j, p] of pair.links) {
    if (p < state.threshold) continue;
    const k = key(i, j);
    const status = isGold(k) ? "right" : pair.possibleSet.has(k) ? "possible" : data.has_gold ? "wrong" : "right";
    cells.set(k, { i, j, p, status, kind: kinds.get(k) || "", predicted: true, other: false });
  }
  const add = (i, j, status) => {
    if (!cells.has(key(i, j))) cells.set(key(i, j), { i, j, p: 0, status, predicted: false, other: false });
  };
  for (const [i, j] of pair.sure) add(i, j, "missing");
  if (data.has_gold) for (const [i, j] of pair.possible) add(i, j, loose ? "missing" : "possible");
  for (const [i, j] of pair.other || []) {
    add(i, j, "other");
    cells.get(key(i, j)).other = true;
  }
  return cells;
}

function count(pair, cells) {
  const wanted = data.choice === "sure+possible" ? pair.sure.length + pair.possible.length : pair.sure.length;
  let right = 0, found = 0;
  for (const cell of cells.values()) {
    if (!cell.predicted || (cell.status === "possible" && data.choice === "ignore-possible")) continue;
    found += 1;
    right += cell.status === "right";
  }
  const empty = !found && !wanted;
  const precision = empty ? 1 : found ? right / found : 0;
  const recall = empty ? 1 : wanted ? right / wanted : 0;
  return { precision, recall, f1: harmonic(precision, recall), exact: right === found && right === wanted };
}
const harmonic = (x, y) => (x + y ? (2 * x * y) / (x + y) : 0);

function recount() {
  if (!data.has_gold) return;
  const sum = { precision: 0, recall: 0, exact: 0 };
  for (const pair of data.pairs) {
    pair.figures = count(pair, judge(pair));
    sum.precision += pair.figures.precision;
    sum.recall += pair.figures.recall;
    sum.exact += pair.figures.exact;
  }
  const n = data.pairs.length;
  at("live").textContent = `P ${percent(sum.precision / n)}  R ${percent(sum.recall / n)}  ` +
    `F1 ${percent(harmonic(sum.precision / n, sum.recall / n))}  exact ${percent(sum.exact / n)}`;
}

const orders = {
  "most harm first": (a, b) => b.harm - a.harm || a.place - b.place,
  "lowest F1 first": (a, b) => a.figures.f1 - b.figures.f1 || a.place - b.place,
  "as in the file": (a, b) => a.place - b.place,
  "longest first": (a, b) => size(b) - size(a) || a.place - b.place,
};
const size = (pair) => Math.max(pair.source.length, pair.target.length);

function fillList() {
  const wanted = at("search").value.trim().toLowerCase();
  const longest = Number(at("longest").value) || Infinity;
  state.shown = data.pairs.filter((pair) =>
    (!at("only").checked || !pair.figures.exact) && size(pair) <= longest &&
    (!wanted || pair.id.toLowerCase() === wanted ||
      pair.source.concat(pair.target).some((word) => word.toLowerCase().includes(wanted))));
  state.shown.sort(orders[at("sort").value]);
  at("list").replaceChildren(...state.shown.map((pair) => {
    const item = make("li"), button = make("button", null, { type: "button" });
    button.append(make("small", data.has_gold ? percent(pair.figures.f1) + "  " : ""),
      `${pair.id}  ${pair.target.join(" ")}`);
    button.setAttribute("aria-current", pair.place === state.pair);
    button.onclick = () => show(pair.place);
    pair.button = button;
    item.append(button);
    return item;
  }));
}

/* Scrolls the list only; scrollIntoView would move the whole page. */
function keepVisible(list, item) {
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  const below = top + item.offsetHeight - list.clientHeight;
  if (below > list.scrollTop) list.scrollTop = below;
}

function show(place) {
  data.pairs[state.pair].button?.setAttribute("aria-current", "false");
  state.pair = place;
  const pair = data.pairs[place], cells = judge(pair);
  pair.button?.setAttribute("aria-current", "true");
  if (pair.button) keepVisible(at("list"), pair.button);
  at("name").textContent = `pair ${pair.id}`;
  let detail = "";
  if (data.has_gold) {
    const f = count(pair, cells);
    detail = `P ${percent(f.precision)}, R ${percent(f.recall)}, F1 ${percent(f.f1)}` +
      `; harm ${(100 * pair.harm).toFixed(3)} points of the corpus F1`;
  }
  if (pair.other) {
    const both = [...cells.values()];
    detail += `; both systems ${both.filter((c) => c.predicted && c.other).length} links, only the first ` +
      `${both.filter((c) => c.predicted && !c.other).length}, only the second ` +
      `${both.filter((c) => !c.predicted && c.other).length}`;
  }
  at("detail").textContent = detail;
  at("words").hidden = state.grid;
  at("grid").hidden = !state.grid;
  at("toggle").textContent = state.grid ? "words" : "grid";
  if (state.grid) drawGrid(pair, cells); else drawWords(pair, cells);
  listEdits(pair);
  history.replaceState(null, "", `#pair=${encodeURIComponent(pair.id)}`);
}

/* Edits of all links of the pair, whatever the threshold. */
function listEdits({ edits, source, target }) {
  at("edits").hidden = !edits;
  if (!edits) return;
  const words = (tokens, places) => places.map((k) => tokens[k]).join(" ");
  at("edits").replaceChildren(make("caption", "edits"), ...edits.map(([kind, from, to]) => {
    const row = make("tr");
    row.append(make("th", kind), make("td", words(source, from)), make("td", words(target, to)));
    return row;
  }));
}

function drawWords(pair, cells) {
  const [top, bottom] = state.turned ? [pair.target, pair.source] : [pair.source, pair.target];
  const ends = (cell) => (state.turned ? [cell.j, cell.i] : [cell.i, cell.j]);
  const stage = make("div", null, { class: "stage" });
  const rows = [top, bottom].map((words, side) => {
    const row = make("div", null, { class: "row" });
    words.forEach((word, k) => {
      const has = [...cells.values()].some((c) => c.predicted && ends(c)[side] === k);
      const node = make("span", word, { class: has ? "word" : "word alone", tabindex: 0,
        title: `${k}${has ? "" : ", not aligned"}` });
      const light = (on) => lightUp(side, k, on);
      node.onmouseenter = node.onfocus = () => light(true);
      node.onmouseleave = node.onblur = () => light(false);
      row.append(node);
    });
    return row;
  });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  stage.append(rows[0], svg, rows[1]);
  at("words").replaceChildren(stage);
  const height = 130;
  svg.setAttribute("height", height);
  svg.setAttribute("width", stage.scrollWidth);
  const middle = (row, k) => row.children[k].offsetLeft + row.children[k].offsetWidth / 2;
  const paths = [];
  for (const cell of cells.values()) {
    const [a, b] = ends(cell), x = middle(rows[0], a), y = middle(rows[1], b);
    const path = draw("path", { class: `link ${cell.status} ${cell.kind && "kind-" + cell.kind}`,
      d: `M${x},2 C${x},${height * 0.55} ${y},${height * 0.45} ${y},${height - 2}` });
    path.append(draw("title", {}, describe(pair, cell)));
    svg.append(path);
    if (cell.kind && cell.kind !== "same") {
      svg.append(draw("text", { x: (x + y) / 2, y: height / 2 + 5, "text-anchor": "middle",
        class: `sign kind-${cell.kind}` }, data.signs[cell.kind]));
    }
    paths.push({ path, a, b });
  }
  function lightUp(side, k, on) {
    for (const { path, a, b } of paths) {
      const touched = (side ? b : a) === k;
      path.classList.toggle("dim", on && !touched);
      if (touched) rows[1 - side].children[side ? a : b].classList.toggle("lit", on);
    }
    rows[side].children[k].classList.toggle("lit", on);
  }
}

const marks = { right: "", wrong: "×", missing: "", possible: "", other: "△" };
function describe(pair, cell) {
  const shown = cell.predicted ? `, confidence ${cell.p.toFixed(3)}` : "";
  const also = (cell.kind ? `, ${cell.kind}` : "") + (cell.other ? ", in the second system" : "");
  return `${pair.source[cell.i]} ~ ${pair.target[cell.j]} (${cell.i}-${cell.j}): ` +
    `${data.has_gold || cell.status !== "right" ? cell.status : "link"}${shown}${also}`;
}

function drawGrid(pair, cells) {
  const [across, down] = state.turned ? [pair.target, pair.source] : [pair.source, pair.target];
  const place = (i, j) => (state.turned ? [i, j] : [j, i]);
  at("grid").style.setProperty("--cell", size(pair) > 40 ? "14px" : "24px");
  const aligned = [new Set(), new Set()];
  for (const cell of cells.values()) {
    if (cell.predicted) place(cell.i, cell.j).forEach((k, side) => aligned[side].add(k));
  }
  const table = make("table"), head = table.createTHead().insertRow();
  head.append(make("th"));
  across.forEach((word, k) => {
    const th = make("th", null, { class: aligned[1].has(k) ? "" : "alone", scope: "col" });
    th.append(make("span", word));
    head.append(th);
  });
  const body = table.createTBody(), fields = [];
  down.forEach((word, k) => {
    const row = body.insertRow();
    row.append(make("th", word, { class: aligned[0].has(k) ? "" : "alone", scope: "row" }));
    fields.push(across.map(() => row.insertCell()));
  });
  for (const cell of cells.values()) {
    const [r, c] = place(cell.i, cell.j), td = fields[r][c];
    td.className = cell.status;
    td.title = describe(pair, cell);
    if (cell.predicted) td.style.background = `rgba(0, 114, 178, ${0.15 + 0.6 * cell.p})`;
    const sign = cell.kind && cell.kind !== "same" ? data.signs[cell.kind] : "";
    td.append(make("i", marks[cell.status] || sign, sign ? { class: `kind-${cell.kind}` } : {}));
  }
  at("grid").replaceChildren(table);
}

function step(by) {
  const k = state.shown.findIndex((pair) => pair.place === state.pair);
  const next = state.shown[Math.min(Math.max(k + by, 0), state.shown.length - 1)];
  if (next) show(next.place);
}

function start() {
  document.title = data.title;
  at("title").textContent = data.title;
  at("note").textContent = data.note;
  const rest = data.tables.filter((table) => !table.is_open);
  for (const table of data.tables) if (table.is_open) at("scores").append(figures(table));
  if (data.calibration && data.calibration.links) at("scores").append(reliability(data.calibration));
  if (data.systems.length) {
    at("scores").append(ladder(data.systems));
    at("choice").hidden = false;
    for (const [id, chosen] of [["first", 0], ["second", Math.min(1, data.systems.length - 1)]]) {
      data.systems.forEach(({ name }, k) => at(id).append(make("option", name, { value: k })));
      at(id).value = chosen;
      at(id).onchange = () => {
        choose(Number(at("first").value), Number(at("second").value));
        recount(); fillList(); show(state.pair);
      };
    }
    choose(0, Math.min(1, data.systems.length - 1));
  }
  if (rest.length) {
    const details = make("details"), box = make("div", null, { class: "tables" });
    details.append(make("summary", "more tables"), box);
    rest.forEach((table) => box.append(figures(table)));
    at("more").append(details);
  }
  const legend = data.has_gold
    ? [["right", "▬ line, framed cell: right"], ["wrong", "× dotted line: wrong"],
       ["missing", "○ dashed line, ring: missing"], ["possible", "◌ fine dots: possible in gold"]]
    : [["right", "▬ link"], ["possible", "◌ fine dots: possible link"]];
  if (data.pairs.some((pair) => pair.other)) legend.push(["other", "△ dash-dot line: only the second system"]);
  const shown = new Set(data.pairs.flatMap((pair) =>
    [pair.relations, ...(pair.systems || []).map((each) => each[2])].flat().map(([, , kind]) => kind)));
  for (const [kind, sign] of Object.entries(data.signs)) {
    if (shown.has(kind)) legend.push([`kind-${kind}`, `${sign} ${kind}`]);
  }
  for (const [name, text] of legend) at("legend").append(make("b", text, { style: `color: var(--${name})` }));
  at("legend").append(make("span", "dashed box: word without a link; shade: confidence"));
  data.pairs.forEach((pair, place) => { pair.place = place; });
  const names = Object.keys(orders).filter((name) => data.has_gold || !/harm|F1/.test(name));
  at("sort").append(...names.map((name) => make("option", name)));
  at("only").parentElement.hidden = !data.has_gold;
  at("slider").hidden = !data.has_confidence;
  at("sort").onchange = at("only").onchange = at("search").oninput = at("longest").oninput = fillList;
  at("threshold").oninput = () => {
    state.threshold = Number(at("threshold").value);
    at("cut").textContent = state.threshold.toFixed(2);
    recount(); fillList(); show(state.pair);
  };
  at("toggle").onclick = () => { state.grid = !state.grid; show(state.pair); };
  at("turn").onclick = () => { state.turned = !state.turned; show(state.pair); };
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { n: () => step(1), p: () => step(-1), g: at("toggle").onclick, t: at("turn").onclick };
    keys[event.key]?.();
  });
  recount();
  fillList();
  const open = () => {
    const id = decodeURIComponent(location.hash.replace(/^#pair=/, ""));
    const found = data.pairs.findIndex((pair) => pair.id === id);
    show(found >= 0 ? found : state.shown.length ? state.shown[0].place : 0);
  };
  addEventListener("hashchange", open);
  if (data.pairs.length) open();
}
start();
