
const isOnlyMeaning = () => document.body.classList.contains("is-meaning");
const marks = () => [...document.querySelectorAll(isOnlyMeaning() ? "[data-alarm]" : "[data-n]")]
  .filter((each) => each.offsetParent !== null);
const counter = document.getElementById("counter");
let here = -1;

/* Changes are numbered; what is gone and what is new in its place have one number. */
function numbers() {
  return [...new Set(marks().map((each) => Number(each.dataset.n)))];
}

function show(n) {
  for (const each of document.querySelectorAll(".is-here")) each.classList.remove("is-here");
  const found = marks().filter((each) => Number(each.dataset.n) === n);
  for (const each of found) each.classList.add("is-here");
  if (found.length) {
    if (!found[0].matches("a")) found[0].tabIndex = -1;
    found[0].focus({ preventScroll: true });
    found[0].scrollIntoView({ block: "center" });
  }
  here = n;
  count();
}

function count() {
  const all = numbers();
  const at = all.indexOf(here);
  counter.textContent = at < 0 ? `${all.length} ${all.length === 1 ? "change" : "changes"}` : `${at + 1} of ${all.length}`;
}

function step(by) {
  const all = numbers();
  if (!all.length) return;
  const at = all.indexOf(here);
  show(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]);
}

function look(isInline) {
  document.body.classList.toggle("is-inline", isInline);
  document.getElementById("side").setAttribute("aria-pressed", String(!isInline));
  document.getElementById("inline").setAttribute("aria-pressed", String(isInline));
  if (here >= 0) show(here); else count();
}

function mean() {
  const isOn = document.body.classList.toggle("is-meaning");
  document.getElementById("meaning").setAttribute("aria-pressed", String(isOn));
  count();
}

document.getElementById("meaning").addEventListener("click", mean);
document.getElementById("side").addEventListener("click", () => look(false));
document.getElementById("inline").addEventListener("click", () => look(true));
document.getElementById("next").addEventListener("click", () => step(1));
document.getElementById("previous").addEventListener("click", () => step(-1));
for (const link of document.querySelectorAll("a[data-to]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const target = document.getElementById(link.hash.slice(1));
    const fold = target && target.closest("details");
    if (fold) fold.open = true;
    show(Number(link.dataset.to));
  });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const keys = { n: () => step(1), p: () => step(-1), m: mean, v: () => look(!document.body.classList.contains("is-inline")) };
  if (event.key in keys) keys[event.key]();
});
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
look(matchMedia("(max-width: 44rem)").matches);
