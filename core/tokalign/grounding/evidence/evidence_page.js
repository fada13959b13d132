
const note = document.getElementById("note");
const hint = note.textContent = "Point at a word of the answer to see what supports it.";
let origin = null; /* the word whose partners are stepped through */

const all = (selector) => [...document.querySelectorAll(selector)];
const numbers = (element, name) => (element.dataset[name] || "").split(" ").filter(Boolean);

function reveal(element) {
  const fold = element.closest("details");
  if (fold) fold.open = true;
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function clear() {
  for (const each of all(".is-joined, .is-best, .is-odd, .is-citing")) {
    each.classList.remove("is-joined", "is-best", "is-odd", "is-citing");
  }
}

/* Marks a word of the answer and its partners, or a partner and the words that it supports. */
function join(element) {
  clear();
  const isWord = element.matches(".word");
  element.classList.add("is-joined");
  for (const number of numbers(element, "p")) {
    for (const other of all(`[data-p~="${number}"]`)) {
      if (isWord !== other.matches(".word")) other.classList.add("is-joined");
    }
  }
  if (isWord && element.dataset.best) {
    for (const each of all(`.partner[data-p~="${element.dataset.best}"]`)) each.classList.add("is-best");
  }
  const odd = element.closest(".conflict");
  if (odd) oppose(odd);
  const word = isWord ? element : all(".word.is-joined").find((each) => each.dataset.note);
  note.textContent = word ? word.dataset.note : hint;
  const others = isWord ? ".partner.is-best, .passages .is-odd" : ".word.is-joined, .answer .is-odd";
  return all(others)[0];
}

function oppose(element) {
  for (const number of numbers(element, "k")) {
    for (const each of all(`.conflict[data-k~="${number}"]`)) each.classList.add("is-odd");
  }
}

/* Marks a cited sentence, and the sentences of the answer that cite it; or one of those alone. */
function cite(element) {
  clear();
  element.classList.add("is-citing");
  for (const number of numbers(element, "s")) document.getElementById(`s${number}`).classList.add("is-citing");
}

function partners(word) {
  return numbers(word, "p").map((number) => document.querySelector(`.partner[data-p~="${number}"]`)).filter(Boolean);
}

function go(element) {
  reveal(element);
  element.focus({ preventScroll: true });
}

addEventListener("pointerover", (event) => {
  const element = event.target.closest(".word, .partner");
  if (element) {
    const other = join(element);
    if (other && element.matches(".word")) reveal(other);
    return;
  }
  const odd = event.target.closest("[data-k]");
  const cited = event.target.closest(".cited > .cite");
  if (odd) {
    clear();
    oppose(odd);
  } else if (cited) cite(cited.parentElement);
  else if (document.activeElement && document.activeElement.matches(".word, .partner")) join(document.activeElement);
  else clear();
});

addEventListener("focusin", (event) => {
  if (!event.target.matches(".word, .partner")) return;
  const other = join(event.target);
  if (other && event.target.matches(".word")) reveal(other);
  if (event.target.matches(".word")) origin = event.target;
});

addEventListener("click", (event) => {
  const word = event.target.closest("a.word");
  if (word) { /* under a finger, as under the pointer */
    event.preventDefault();
    word.focus({ preventScroll: true });
    const other = join(word);
    if (other) reveal(other);
    return;
  }
  const partner = event.target.closest(".partner");
  if (partner) {
    const other = join(partner);
    if (other) reveal(other);
    return;
  }
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  const target = document.getElementById(link.hash.slice(1));
  history.replaceState(null, "", link.hash);
  reveal(target);
  const inside = target.querySelector("a:not([tabindex])");
  if (inside && !link.dataset.k) inside.focus({ preventScroll: true }); /* Tab goes on from there */
  if (link.dataset.k) {
    clear();
    oppose(link);
  } else cite(target);
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const here = document.activeElement;
  if (!here || !here.matches("a.word, .partner")) return;
  const ahead = event.key === "ArrowRight" || event.key === "Enter";
  const back = event.key === "ArrowLeft" || event.key === "Escape";
  if (!ahead && !back) return;
  if (here.matches("a.word")) {
    const [first] = partners(here);
    if (!ahead || !first) return;
    event.preventDefault();
    origin = here;
    go(first);
    return;
  }
  event.preventDefault();
  const word = origin || all(".word.is-joined")[0];
  if (back) {
    go(word);
    return;
  }
  const places = partners(word);
  go(places[(places.indexOf(here) + 1) % places.length]);
});

addEventListener("beforeprint", () => {
  for (const each of all("details")) each.open = true;
});
