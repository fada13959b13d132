import { chosen, count, harmonic, judge, mark, measures, orders, size, tally, title, words } from "./judging.js";
import { figures, ladder, percent, reliability } from "./figures.js";
import { jsonLine, latex, pharaoh, png, save, tikz } from "./copies.js";
import { drawMatrix } from "./matrix.js";
import { make } from "./dom.js";
import { drawStage, standalone } from "./stage.js";

const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const ROW = 32; /* pixels of an item of the list */
const byId = new Map(data.pairs.map((pair, place) => [pair.id, place]));
const orderNames = Object.keys(orders).filter((name) => data.has_gold || !/harm|F1/.test(name));

/* All that the address holds; what is as it began is left out of it. */
const INITIAL = { pair: "", q: "", sort: orderNames[0], error: "", relation: "", tag: "", link: "", longest: "", from: "0", grid: "",
  turn: "", beside: "", first: "0", second: String(Math.min(1, Math.max(0, data.systems.length - 1))) };
const state = { ...INITIAL };
const FIELDS = { q: "search", sort: "sort", error: "error", relation: "relation", tag: "tag", longest: "longest", from: "threshold",
  first: "first", second: "second" };
const FILTERS = ["error", "relation", "tag", "link", "longest"];
let shown = [], here = null;

/* Shows two of the systems: every pair gets their links and the first one's harm. */
function choose() {
  if (!data.systems.length) return;
  const first = Number(state.first), second = Number(state.second);
  for (const pair of data.pairs) {
    [pair.links, pair.harm, pair.relations] = pair.systems[first];
    pair.other = first === second ? null : pair.systems[second][0];
    pair.otherRelations = first === second ? null : pair.systems[second][2];
  }
}

function recount() {
  const sum = { precision: 0, recall: 0, exact: 0 };
  for (const pair of data.pairs) {
    const cells = judge(pair, data, Number(state.from));
    pair.marks = mark(pair, data, cells);
    if (!data.has_gold) continue;
    pair.figures = count(pair, cells, data.choice);
    for (const name of Object.keys(sum)) sum[name] += Number(pair.figures[name]);
  }
  const n = data.pairs.length;
  if (data.has_gold && n) {
    at("live").textContent = `P ${percent(sum.precision / n)}, R ${percent(sum.recall / n)}, ` +
      `F1 ${percent(harmonic(sum.precision / n, sum.recall / n))}, exact ${percent(sum.exact / n)}`;
  }
  for (const facet of ["error", "relation", "tag"]) {
    const values = tally(data.pairs, facet), none = values.find(([value]) => value === "none")?.[1] || 0;
    at(facet).replaceChildren(make("option", `all (${n})`, { value: "" }), make("option", `any (${n - none})`, { value: "any" }),
      make("option", `none (${none})`, { value: "none" }),
      ...values.filter(([value]) => value !== "none").map(([value, times]) => make("option", `${value} (${times})`, { value })));
    if (state[facet] && ![...at(facet).options].some((each) => each.value === state[facet])) {
      at(facet).append(make("option", `${state[facet]} (0)`, { value: state[facet] }));
    }
    at(facet).parentElement.hidden = values.every(([value]) => value === "none");
  }
}

function filter() {
  shown = chosen(data.pairs, state);
  const asked = state.link ? `, linking ${state.link}` : "";
  at("found").textContent = `${shown.length} of ${data.pairs.length} pairs${asked}`;
  at("nothing").hidden = shown.length > 0;
  at("items").style.height = `${shown.length * ROW}px`;
  fillList();
}

/* Only the items in sight are in the page. */
function fillList() {
  const list = at("list"), from = Math.max(0, Math.floor(list.scrollTop / ROW) - 10);
  const items = shown.slice(from, from + Math.ceil((list.clientHeight || 400) / ROW) + 20);
  at("items").style.paddingTop = `${from * ROW}px`;
  at("items").replaceChildren(...items.map((pair) => {
    const item = make("li"), button = make("button", null, { type: "button", "aria-current": String(pair === here) });
    if (data.has_gold) button.append(make("small", measures[state.sort](pair)), " ");
    button.append(`${title(pair)}  ${pair.texts[1]}`);
    button.onclick = () => go(pair);
    item.append(button);
    return item;
  }));
}

function go(pair) {
  here = pair;
  state.pair = pair ? pair.id : "";
  const k = shown.indexOf(pair), list = at("list");
  at("position").textContent = `${k + 1} of ${shown.length}`;
  at("previous").disabled = k <= 0;
  at("next").disabled = k < 0 || k >= shown.length - 1;
  if (k >= 0) list.scrollTop = Math.min(Math.max(list.scrollTop, (k + 1) * ROW - list.clientHeight), k * ROW);
  fillList();
  show();
  remember();
}

function remember() {
  const values = Object.entries(state).filter(([name, value]) => value !== INITIAL[name]);
  history.replaceState(null, "", `#${new URLSearchParams(values)}`);
}

const MARKS = { right: "", wrong: "×", missing: "", possible: "", other: "△" };
function describe(pair, cell) {
  const name = data.has_gold || cell.status !== "right" ? cell.status : "link";
  return `${pair.source[cell.i]} ~ ${pair.target[cell.j]} (${cell.i}-${cell.j}): ${cell.status === "other" ? "only the second system" : name}` +
    (cell.predicted ? `, confidence ${cell.p.toFixed(3)}` : "") + (cell.kind ? `, ${cell.kind}` : "") +
    (cell.other && cell.predicted ? ", in the second system" : "");
}

function show() {
  const pair = here;
  at("drawn").replaceChildren();
  for (const id of ["detail", "lines"]) at(id).replaceChildren();
  at("name").textContent = pair ? `pair ${title(pair)}` : "no pair";
  at("read").replaceChildren(...(pair?.texts || []).map((text, k) => make("p", text, { "aria-label": k ? "target sentence" : "source sentence" })));
  for (const id of ["links", "legend"]) at(id).hidden = !pair;
  at("copied").hidden = true;
  at("edits").hidden = !pair?.edits;
  at("copy").disabled = !pair;
  if (!pair) return;
  const cells = judge(pair, data, Number(state.from));
  at("detail").textContent = detail(pair, cells);
  const isBeside = state.beside && pair.other;
  const parts = isBeside ? [judge({ ...pair, other: null }, data, Number(state.from)), judge(pair, data, Number(state.from), true)] : [cells];
  const box = isBeside ? make("div", null, { class: "systems" }) : at("drawn");
  if (isBeside) at("drawn").append(box);
  const names = parts.map((_, k) => data.systems[Number(k ? state.second : state.first)]?.name || `${k ? "second" : "first"} system`);
  const insides = parts.map((_, k) => {
    if (!isBeside) return box;
    const inside = make("div");
    inside.append(make("h3", names[k]));
    box.append(inside);
    return inside;
  }); /* all are there before one is drawn, which measures its words */
  parts.forEach((part, k) => drawPair(insides[k], pair, part, isBeside ? `links of ${names[k]}` : "links"));
  at("lines").append(...cells.map((cell) => {
    const item = make("li"), button = make("button", describe(pair, cell), { type: "button", title: "show the pairs that link these words" });
    button.onclick = () => ask({ link: words(pair, cell) });
    item.append(button);
    return item;
  }));
  if (pair.edits) {
    const place = (tokens, places) => places.map((k) => tokens[k]).join(" ");
    at("edits").replaceChildren(make("caption", "edits"), ...pair.edits.map(([kind, from, to]) => {
      const row = make("tr");
      row.append(make("th", kind, { scope: "row" }), make("td", place(pair.source, from)), make("td", place(pair.target, to)));
      return row;
    }));
  }
}

function detail(pair, cells) {
  const parts = [];
  if (data.has_gold) {
    const { precision, recall, f1 } = count(pair, cells, data.choice);
    parts.push(`P ${percent(precision)}, R ${percent(recall)}, F1 ${percent(f1)}`, `harm ${(100 * pair.harm).toFixed(3)} points of the corpus F1`);
  }
  if (pair.other) {
    const n = (first, second) => cells.filter((cell) => cell.predicted === first && cell.other === second).length;
    parts.push(`both systems ${n(true, true)} links, only the first ${n(true, false)}, only the second ${n(false, true)}`);
  }
  return parts.join("; ");
}

function drawPair(box, pair, cells, name) {
  const sides = state.turn ? [pair.target, pair.source] : [pair.source, pair.target];
  const aligned = [new Set(), new Set()];
  const links = cells.map((cell) => {
    const [a, b] = state.turn ? [cell.j, cell.i] : [cell.i, cell.j];
    if (cell.predicted) {
      aligned[0].add(a);
      aligned[1].add(b);
    }
    return { a, b, cell, status: cell.status, kind: cell.kind, sign: cell.kind && cell.kind !== "same" ? data.signs[cell.kind] : "",
      label: describe(pair, cell), mark: MARKS[cell.status], shade: cell.predicted ? cell.p : null };
  });
  const onLink = ({ cell }) => ask({ link: words(pair, cell) });
  if (state.grid) {
    drawMatrix(box, sides, links, aligned, onLink, name);
    box.lastChild.classList.toggle("is-large", size(pair) > 40);
  } else drawStage(box, sides, links, aligned, onLink);
}

/* Changes what is asked for, and shows the pair where it was, or the first. */
function ask(changes) {
  Object.assign(state, changes);
  for (const [name, id] of Object.entries(FIELDS)) at(id).value = state[name];
  if (["first", "second", "from"].some((name) => name in changes)) {
    choose();
    recount();
  }
  for (const facet of ["error", "relation", "tag"]) at(facet).value = state[facet];
  const n = FILTERS.filter((name) => state[name]).length;
  at("filters").textContent = n ? `filter (${n})` : "filter";
  at("cut").textContent = Number(state.from).toFixed(2);
  for (const id of ["grid", "turn", "beside"]) at(id).setAttribute("aria-pressed", String(Boolean(state[id])));
  filter();
  go(shown.includes(here) ? here : shown[0] || null);
}

function step(by) {
  const next = shown[shown.indexOf(here) + by];
  if (next) go(next);
}

async function copy(form) {
  const pair = here, links = judge(pair, data, Number(state.from)).filter((cell) => cell.predicted);
  if (form === "svg" || form === "png") {
    if (state.grid) ask({ grid: "" });
    const svg = standalone(at("drawn").querySelector(".stage"));
    save(`${pair.id}.${form}`, form === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await png(svg));
    return;
  }
  const text = { pharaoh, json: jsonLine, latex, tikz }[form](pair, links);
  at("text").value = text;
  at("copied").hidden = false;
  at("text").select();
  await navigator.clipboard?.writeText(text).catch(() => {}); /* not allowed: the text is there, and selected */
}

function unfold(isOpen) {
  at("panel").hidden = !isOpen;
  at("filters").setAttribute("aria-expanded", String(isOpen));
}

function listen() {
  for (const [name, id] of Object.entries(FIELDS)) {
    at(id).addEventListener(at(id).matches("select") ? "change" : "input", () => ask({ [name]: at(id).value }));
  }
  const flip = (id) => () => ask({ [id]: state[id] ? "" : "1" });
  for (const id of ["grid", "turn", "beside"]) at(id).onclick = flip(id);
  at("previous").onclick = () => step(-1);
  at("next").onclick = () => step(1);
  at("filters").onclick = () => unfold(at("panel").hidden);
  at("clear").onclick = at("again").onclick = () => ask({ q: "", ...Object.fromEntries(FILTERS.map((name) => [name, ""])) });
  at("copy").onchange = () => {
    const form = at("copy").value;
    at("copy").value = "";
    if (form) copy(form);
  };
  at("to-figures").onclick = (event) => { /* the address holds the view, not a place */
    event.preventDefault();
    at("figures").scrollIntoView();
    at("figures").focus({ preventScroll: true });
  };
  at("list").onscroll = fillList;
  at("pairs").ontoggle = () => here && go(here);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { n: () => step(1), p: () => step(-1), g: flip("grid"), t: flip("turn"), "/": () => at("search").focus() };
    if (!at("beside").hidden) keys.b = flip("beside");
    if (event.key in keys) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (width && width !== contentRect.width && here) show();
    width = contentRect.width;
  }).observe(at("drawn"));
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => { at("links").open = true; });
}

function open() {
  const asked = Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([name]) => name in INITIAL));
  if (!orderNames.includes(asked.sort)) delete asked.sort;
  for (const name of ["first", "second"]) if (!data.systems[asked[name]]) delete asked[name];
  here = data.pairs[byId.get(asked.pair)] || null;
  ask({ ...INITIAL, ...asked });
}

function start() {
  document.title = at("title").textContent = data.title;
  at("note").textContent = data.note;
  data.pairs.forEach((pair, place) => { pair.place = place; });
  for (const table of data.tables) if (table.is_open) at("scores").append(figures(table));
  if (data.calibration && data.calibration.links) at("scores").append(reliability(data.calibration));
  if (data.systems.length) {
    at("scores").append(ladder(data.systems));
    for (const id of ["first", "second"]) data.systems.forEach(({ name }, k) => at(id).append(make("option", name, { value: k })));
    for (const each of document.querySelectorAll(".choice")) each.hidden = false;
  }
  const rest = data.tables.filter((table) => !table.is_open);
  if (rest.length) {
    const details = make("details"), box = make("div", null, { class: "tables" });
    details.append(make("summary", "more tables"), box);
    rest.forEach((table) => box.append(figures(table)));
    at("more").append(details);
  }
  at("to-figures").hidden = !data.tables.length;
  at("beside").hidden = !data.pairs.some((pair) => pair.other) && data.systems.length < 2;
  at("sort").append(...orderNames.map((name) => make("option", name)));
  at("slider").hidden = !data.has_confidence;
  at("pairs").open = matchMedia("(min-width: 48.01rem)").matches;
  explain();
  listen();
  open();
}

function explain() {
  const legend = data.has_gold
    ? [["right", "▬ right"], ["wrong", "× dots: wrong"], ["missing", "○ dashes: missing"], ["possible", "◌ fine dots: possible in gold"]]
    : [["right", "▬ link"]];
  if (!at("beside").hidden) legend.push(["other", "△ dash-dot: only the second system"]);
  const kinds = new Set(data.pairs.flatMap((pair) => [pair.relations, ...(pair.systems || []).map((each) => each[2])].flat().map((each) => each[2])));
  for (const [kind, sign] of Object.entries(data.signs)) if (kinds.has(kind)) legend.push(["", `${sign} ${kind}`]);
  legend.push(["", "dashed box: no link"], ["", "shade: confidence"]);
  at("legend").append(...legend.map(([name, text]) => make("span", text, { class: name })));
}

start();
