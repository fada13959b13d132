import { drawMatrix } from "./matrix.js";
import { make } from "./dom.js";
import { drawStage } from "./stage.js";

const SURE = 0.5; /* support below it is none; see docs/grounding.md */

/* A sentence is its tokens alone where its text is no more than they are. */
export const tokensOf = (sentence) => sentence.tokens || sentence;

/* Draws the links of an alignment; onLink is called with a link that is clicked. */
export function drawAlignment(box, alignment, state, signs, onLink) {
  const kinds = new Map((alignment.relations || []).map(([i, j, kind]) => [`${i}-${j}`, kind]));
  for (const { kind, source, target } of alignment.conflicts || []) kinds.set(`${source}-${target}`, kind);
  const words = [tokensOf(alignment.source), tokensOf(alignment.target)], aligned = [new Set(), new Set()];
  const links = alignment.links.filter(([, , p]) => p >= Number(state.from)).map(([a, b, p]) => {
    aligned[0].add(a);
    aligned[1].add(b);
    const kind = kinds.get(`${a}-${b}`) || "";
    const label = `${words[0][a]} ~ ${words[1][b]}, confidence ${p.toFixed(3)}${kind ? `, ${kind}` : ""}${mostWeight(alignment, a, b)}`;
    return { a, b, status: "right", kind, sign: kind && kind !== "same" ? signs[kind] || "" : "", label, mark: "", shade: p };
  });
  box.append(make("p", `similarity ${alignment.similarity.toFixed(2)}, source covered ${alignment.covered.toFixed(2)}, ` +
    `target covered ${alignment.target_covered.toFixed(2)}, agreement ${alignment.agreement.toFixed(2)}; ` +
    `${alignment.model}, style ${alignment.style}`, { class: "note" }));
  if (state.grid) drawMatrix(box, words, links, aligned, onLink, "links");
  else drawStage(box, words, links, aligned, onLink);
  const warnings = make("ul");
  for (const { kind, source_span: source, target_span: target, reason, probability } of alignment.conflicts || []) {
    const between = [words[0].slice(...source), words[1].slice(...target)].map((side) => side.join(" "));
    warnings.append(make("li", `${kind}: ${between.join(" / ")} (${reason}, ${probability.toFixed(2)})`, { class: "warning" }));
  }
  if (warnings.childElementCount) box.append(warnings);
  const lines = make("details"), list = make("ul");
  lines.append(make("summary", "links as text"), list);
  for (const link of links) list.append(make("li", link.label));
  box.append(lines);
}

function mostWeight(alignment, a, b) {
  const found = explanations(alignment, a, b)[0];
  if (!found) return "";
  return `; most weight: ${found.features.slice(0, 3).map(({ name, weight }) => `${name} ${weight.toFixed(2)}`).join(", ")}`;
}

export const explanations = (alignment, a, b) => (alignment.explanations || []).filter(({ source, target }) => source === a && target === b);

/* Draws why two words are linked: features and weights, by direction. */
export function drawWhy(box, alignment, a, b) {
  for (const { direction, score, margin, features } of explanations(alignment, a, b)) {
    const table = make("table", null, { class: "weights", tabindex: "0" });
    table.append(make("caption", `${direction}: score ${score.toFixed(2)}, margin ${margin.toFixed(2)}`));
    for (const { name, value, weight } of features.slice(0, 12)) {
      const row = table.insertRow();
      row.append(make("th", name, { scope: "row" }), make("td", value.toFixed(2)), make("td", weight.toFixed(3)));
    }
    box.append(table);
  }
}

export function drawRanking(box, answer, documents) {
  const list = make("ol");
  for (const { index, relevance_score: score } of answer.results) {
    const item = make("li");
    item.append(make("span", score.toFixed(3), { class: "score" }), documents[index]);
    list.append(item);
  }
  box.append(list);
}

export function drawGrounding(box, answer, text, passages) {
  const at = [...text]; /* places are of characters, not of UTF-16 units */
  const slice = (from, to) => at.slice(from, to).join("");
  const paragraph = make("p");
  let end = 0;
  for (const { words } of answer.sentences) {
    for (const word of words) {
      paragraph.append(slice(end, word.start));
      const cited = word.citation === null ? "" : `, passage ${Number(word.citation) + 1}`;
      const grade = word.support < SURE ? " is-none" : word.support < 0.8 ? " is-weak" : "";
      paragraph.append(make("span", slice(word.start, word.end), { class: `support${grade}`, title: `support ${word.support.toFixed(2)}${cited}` }));
      end = word.end;
    }
  }
  paragraph.append(slice(end));
  const list = make("ul");
  for (const sentence of answer.sentences) {
    const missing = sentence.unsupported.map(({ start, end: to }) => slice(start, to));
    if (missing.length) list.append(make("li", `without support: ${missing.join("; ")}`));
    for (const { kind, start, end: to, passage, passage_start: from, passage_end: until } of sentence.conflicts) {
      const said = [...passages[Number(passage)]].slice(from, until).join("");
      list.append(make("li", `${kind}: “${slice(start, to)}”, but passage ${Number(passage) + 1} has “${said}”`, { class: "warning" }));
    }
  }
  box.append(paragraph, list);
}

export function drawDifference(box, answer) {
  const alarms = make("ul");
  for (const { kind, old, new: now } of answer.summary.alarms) {
    alarms.append(make("li", `${kind}: ${[old, now].filter(Boolean).join(" → ")}`, { class: "warning" }));
  }
  for (const block of answer.blocks) {
    const paragraph = make("p");
    if (block.kind !== "equal" && block.kind !== "changed") paragraph.append(make("small", `${block.kind} `, { class: "note" }));
    for (const segment of block.segments) {
      if (segment.kind === "EQ") paragraph.append(segment.text);
      else {
        if (segment.old_text) paragraph.append(make("del", segment.old_text, { title: segment.change }));
        if (segment.new_text) paragraph.append(make("ins", segment.new_text, { title: segment.change }));
      }
    }
    box.append(paragraph);
  }
  box.append(alarms);
}
