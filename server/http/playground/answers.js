import { drawMatrix } from "./matrix.js";
import { make } from "./dom.js";
import { drawStage } from "./stage.js";

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

/* Draws documents by their scores, each with a bar, and with marks on what matches the query. */
export function drawRanking(box, answer, documents) {
  const list = make("ol", null, { class: "ranking" });
  for (const { index, relevance_score: score, highlights } of answer.results) {
    const item = make("li"), line = make("p"), at = [...documents[index]]; /* places are of characters, not of UTF-16 units */
    item.append(make("meter", score.toFixed(3), { value: score, "aria-label": "score" }), make("span", score.toFixed(3), { class: "score" }), line);
    let end = 0;
    for (const { start, end: to, confidence } of highlights) {
      line.append(at.slice(end, start).join(""), make("mark", at.slice(start, to).join(""), { title: `confidence ${confidence.toFixed(2)}` }));
      end = to;
    }
    line.append(at.slice(end).join(""));
    list.append(item);
  }
  box.append(list);
}

/* Shows the page that the server answered in a frame, whose own policy names what runs there. */
export function drawPage(box, page, title) {
  const frame = make("iframe", null, { title, src: URL.createObjectURL(new Blob([page], { type: "text/html" })) });
  frame.onload = () => URL.revokeObjectURL(frame.src);
  box.append(frame);
}
