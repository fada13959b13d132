import { drawAlignment, drawPage, drawRanking, drawWhy, tokensOf } from "./answers.js";
import { ask, bodyOf, codeOf, TABS } from "./calls.js";
import { make } from "./dom.js";

const { signs, examples: EXAMPLES } = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const WAIT_MS = 200, START_MS = 1000;

/* All that the address holds. */
const INITIAL = { tab: "align", a: "", b: "", model: "", style: "", related: "", beside: "", from: "0", grid: "", must: [], not: [] };
const state = { ...INITIAL };
const kept = {}; /* the texts and constraints of each tab */
let alignment = null, chosen = null, asking = null, timer = 0, number = -1;

function remember() {
  const held = Object.entries(state).filter(([name, value]) => String(value) !== String(INITIAL[name]));
  history.replaceState(null, "", `#${new URLSearchParams(held.map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]))}`);
}

/* Reads the address; what it has no word of is as at first. */
function open() {
  const asked = Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([name]) => name in INITIAL));
  for (const name of ["must", "not"]) {
    try {
      asked[name] = JSON.parse(asked[name] || "[]").filter((link) => Array.isArray(link) && link.length === 2 && link.every(Number.isInteger));
    } catch {
      asked[name] = [];
    }
  }
  if (!(asked.tab in TABS)) delete asked.tab;
  if (!(Number(asked.from) >= 0 && Number(asked.from) <= 1)) delete asked.from;
  if (!asked.a && !asked.b) Object.assign(asked, textsOf(EXAMPLES.find(({ tab }) => tab === (asked.tab || INITIAL.tab))));
  change({ ...INITIAL, ...asked });
}

const textsOf = ({ tab, a, b, related = "" }) => ({ tab, a, b, related });

/* Changes what is asked; new texts have no constraints. */
function change(changes, wait = 0) {
  if (("a" in changes || "b" in changes) && !("must" in changes)) Object.assign(changes, { must: [], not: [] });
  Object.assign(state, changes);
  const { a, b, must, not } = state;
  kept[state.tab] = { a, b, must, not };
  offerStyles();
  for (const id of ["a", "b", "model", "style", "beside", "from"]) if (at(id).value !== state[id]) at(id).value = state[id];
  at("cut").textContent = Number(state.from).toFixed(2);
  at("related").checked = Boolean(state.related);
  const shown = EXAMPLES.find((each) => each.tab === state.tab && each.a === a && each.b === b);
  at("see").textContent = shown ? shown.see : "";
  at("grid").setAttribute("aria-pressed", String(Boolean(state.grid)));
  for (const [name, { a, b }] of Object.entries(TABS)) {
    const isOn = name === state.tab;
    at(`tab-${name}`).setAttribute("aria-selected", String(isOn));
    at(`tab-${name}`).tabIndex = isOn ? 0 : -1;
    if (isOn) [at("name-a").textContent, at("name-b").textContent] = [a, b];
  }
  at("answer").setAttribute("aria-labelledby", `tab-${state.tab}`);
  for (const each of document.querySelectorAll(".aligning")) each.hidden = state.tab !== "align";
  const constraints = [...state.must.map(([i, j]) => `${i}-${j} linked`), ...state.not.map(([i, j]) => `${i}-${j} not linked`)];
  at("constraints").textContent = `constraints: ${constraints.join(", ")}`;
  at("corrections").hidden = state.tab !== "align" || !constraints.length;
  remember();
  clearTimeout(timer);
  at("answer").classList.add("is-old");
  timer = setTimeout(answer, wait);
}

async function answer() {
  asking?.abort();
  const own = asking = new AbortController();
  const body = bodyOf(state, { explain: true }), { path, page } = TABS[state.tab], token = at("token").value;
  choose(null);
  const box = make("div");
  try {
    if (body) {
      const isBeside = state.tab === "align" && state.beside;
      const answers = await Promise.all([ask(path, body, token, own.signal, Boolean(page)),
        ...(isBeside ? [ask(path, bodyOf(state, { isBeside: true, explain: true }), token, own.signal)] : [])]);
      if (own.signal.aborted) return;
      at("answer").replaceChildren(box);
      show(box, answers, body);
    } else at("answer").replaceChildren(make("p", "Write two texts, or choose an example.", { class: "note" }));
    at("problem").hidden = true;
  } catch (error) {
    if (own.signal.aborted) return;
    at("answer").replaceChildren();
    at("problem").textContent = error.message;
    at("problem").hidden = false;
    if (error.status === 401) at("asks-token").hidden = false;
  }
  at("answer").classList.remove("is-old");
}

function show(box, answers, body) {
  if (state.tab === "rank") return drawRanking(box, answers[0], body.documents);
  if (TABS[state.tab].page) return drawPage(box, answers[0], TABS[state.tab].page);
  alignment = answers[0];
  if (answers.length === 1) return drawAlignment(box, alignment, state, signs, (link) => choose(link));
  box.className = "systems";
  const columns = answers.map(() => make("div"));
  box.append(...columns); /* all at once: each is drawn in the width that it keeps */
  for (const [k, each] of answers.entries()) {
    const inside = columns[k];
    inside.append(make("h2", `${each.model}, ${each.style}`));
    drawAlignment(inside, each, state, signs, (link) => choose(link, each));
  }
  return undefined;
}

/* Shows why an answer links two words, and lets the reader correct it where it is the own one. */
function choose(link, of = alignment) {
  chosen = link;
  at("link").hidden = !link;
  if (!link) return;
  at("chosen").textContent = link.label.split(";")[0];
  at("correct").hidden = of !== alignment;
  at("why").replaceChildren();
  drawWhy(at("why"), of, link.a, link.b);
}

function constrain(name) {
  const own = [chosen.a, chosen.b], isOther = ([i, j]) => i !== own[0] || j !== own[1];
  const next = { must: state.must.filter(isOther), not: state.not.filter(isOther) };
  if (name) next[name].push(own);
  change(next);
}

async function copy(text) {
  at("text").value = text;
  at("copied").hidden = false;
  at("text").select();
  await navigator.clipboard?.writeText(text).catch(() => {}); /* not allowed: the text is there, and selected */
}

function example(next) {
  number = next;
  history.pushState(null, ""); /* what was typed stays a step back */
  change({ ...textsOf(EXAMPLES[next]), must: [], not: [] });
}

/* Offers the styles of the model; one that it lacks is not asked for. */
function offerStyles() {
  const model = models.find(({ name }) => name === state.model) || models.find((each) => each.is_default) || models[0];
  at("style").replaceChildren(make("option", "automatic", { value: "" }), ...model.styles.map(({ name, links }) => make("option", name, { value: name, title: links })));
  if (!model.styles.some(({ name }) => name === state.style)) state.style = "";
}

let models = [];
async function start() {
  at("example").append(...EXAMPLES.map(({ name }, k) => make("option", name, { value: k })));
  listen();
  await load();
}

/* Asks which models there are, and then what the address asks; again once there is a token. */
async function load() {
  try {
    ({ models } = await ask("/v1/models", null, at("token").value));
  } catch (error) {
    at("asks-token").hidden = error.status !== 401;
    if (error.status === 503) setTimeout(load, START_MS); /* it is starting */
    at("problem").textContent = error.message;
    at("problem").hidden = false;
    return;
  }
  at("problem").hidden = true;
  at("model").replaceChildren(make("option", "default", { value: "" }), ...models.map(({ name, description }) => make("option", name, { value: name, title: description })));
  at("beside").replaceChildren(make("option", "no other", { value: "" }), ...models.flatMap(({ name, styles: own }) =>
    [make("option", name, { value: name }), ...own.map((style) => make("option", `${name}, ${style.name}`, { value: `${name}/${style.name}` }))]));
  open();
}

function listen() {
  for (const id of ["a", "b"]) at(id).oninput = () => change({ [id]: at(id).value }, WAIT_MS);
  for (const id of ["model", "style", "beside", "from"]) at(id).addEventListener("change", () => change({ [id]: at(id).value }));
  at("related").onchange = () => change({ related: at("related").checked ? "1" : "" });
  at("from").oninput = () => { at("cut").textContent = Number(at("from").value).toFixed(2); };
  at("grid").onclick = () => change({ grid: state.grid ? "" : "1" });
  for (const name of Object.keys(TABS)) at(`tab-${name}`).onclick = () => turn(name);
  at("tabs").onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], names = Object.keys(TABS);
    if (!by) return;
    turn(names[(names.indexOf(state.tab) + by + names.length) % names.length]);
    at(`tab-${state.tab}`).focus();
  };
  at("example").onchange = () => {
    const value = at("example").value;
    at("example").value = "";
    if (value) example(Number(value));
  };
  at("code").onchange = () => {
    const form = at("code").value;
    at("code").value = "";
    if (form && bodyOf(state)) copy(codeOf(form, state, Boolean(at("token").value)));
  };
  at("token").onchange = load;
  at("anchor").onclick = () => constrain("must");
  at("forbid").onclick = () => constrain("not");
  at("free").onclick = () => constrain("");
  at("clear").onclick = () => change({ must: [], not: [] });
  at("train").onclick = () => copy(JSON.stringify({ source: tokensOf(alignment.source), target: tokensOf(alignment.target),
    links: alignment.links.filter(([, , p]) => p >= Number(state.from)).map(([i, j]) => [i, j]) })); /* those that are seen */
  at("texts").onsubmit = (event) => event.preventDefault();
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { g: () => change({ grid: state.grid ? "" : "1" }), e: () => example((number + 1) % EXAMPLES.length) };
    Object.keys(TABS).forEach((name, k) => { keys[String(k + 1)] = () => turn(name); });
    if (event.key in keys) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (width && width !== contentRect.width && state.tab === "align") change({});
    width = contentRect.width;
  }).observe(at("answer"));
  addEventListener("hashchange", () => models.length && open());
}

/* Shows a tab with the texts that it had, or at first with its example. */
function turn(tab) {
  if (tab === state.tab) return;
  if (!kept[tab]) return example(EXAMPLES.findIndex((each) => each.tab === tab));
  history.pushState(null, "");
  return change({ tab, ...kept[tab] });
}

start();
