import { draw, make } from "./dom.js";

/* More words than this on a side are wrapped lines, not a column each. */
const LONGEST_COLUMN = 45;

/* Draws two lists of words and the links between them into a box, as wide as the box is.
   Words that fit stand in two rows; else in two columns; long sentences are wrapped, one above the
   other, and show the links of the word under the pointer.
   links: {a, b, status, kind, sign, label, shade}, a and b places in the two lists, shade a
   confidence in [0, 1] or null; aligned: two sets of
   places that are linked; onLink is called with a link that is clicked. */
export function drawStage(box, words, links, aligned, onLink) {
  const stage = make("div", null, { class: "stage" });
  const nodes = words.map((side, k) => side.map((word, place) => {
    const own = links.filter((link) => (k ? link.b : link.a) === place), partners = own.map((link) => words[1 - k][k ? link.a : link.b]);
    const error = own.find((link) => link.status === "wrong" || link.status === "missing");
    const name = partners.length ? `${word}, with ${partners.join(", ")}` : `${word}, no link`;
    return make("button", word, { type: "button", class: `word${aligned[k].has(place) ? "" : " alone"}${error ? ` has-${error.status}` : ""}`, "aria-label": name });
  }));
  const rows = nodes.map((side, k) => {
    const row = make("div", null, { class: "row", role: "group", "aria-label": k ? "target" : "source" });
    row.append(...side);
    return row;
  });
  const svg = draw("svg", { "aria-hidden": "true" });
  stage.append(rows[0], rows[1], svg);
  stage.classList.add("is-rows");
  box.append(stage);
  const fits = rows.every((row) => row.scrollWidth <= stage.clientWidth);
  const isLong = Math.max(words[0].length, words[1].length) > LONGEST_COLUMN;
  const layout = fits ? "rows" : isLong ? "lines" : "columns";
  stage.classList.replace("is-rows", `is-${layout}`);
  const drawn = curves(stage, svg, nodes, links, layout, onLink);
  nodes.forEach((side, k) => side.forEach((node, place) => {
    const light = (on) => lightUp(drawn, nodes, k, place, on);
    node.onmouseenter = node.onfocus = () => light(true);
    node.onmouseleave = node.onblur = () => light(false);
  }));
  return stage;
}

/* Joins words by curves; a wide stroke that is not seen takes the pointer. */
function curves(stage, svg, nodes, links, layout, onLink) {
  const origin = stage.getBoundingClientRect();
  svg.setAttribute("width", origin.width);
  svg.setAttribute("height", origin.height);
  const boxes = nodes.map((side) => side.map((node) => node.getBoundingClientRect()));
  const signs = [];
  const drawn = links.map((link) => {
    const from = boxes[0][link.a], to = boxes[1][link.b];
    let x = from.left + from.width / 2 - origin.left, y = from.bottom - origin.top + 1;
    let u = to.left + to.width / 2 - origin.left, v = to.top - origin.top - 1;
    let d = `M${x},${y} C${x},${y + (v - y) * 0.55} ${u},${y + (v - y) * 0.45} ${u},${v}`;
    if (layout === "columns") {
      [x, y, u, v] = [from.right - origin.left + 1, from.top + from.height / 2 - origin.top,
        to.left - origin.left - 1, to.top + to.height / 2 - origin.top];
      d = `M${x},${y} C${(x + u) / 2},${y} ${(x + u) / 2},${v} ${u},${v}`;
    }
    const path = draw("path", { d, class: `link ${link.status} kind-${link.kind || "none"}` });
    if (link.shade !== null) path.setAttribute("stroke-opacity", 0.3 + 0.7 * link.shade);
    const hit = draw("path", { d, class: "hit" });
    hit.append(draw("title", {}, link.label));
    hit.onclick = () => onLink(link);
    svg.append(path, hit);
    if (link.sign) {
      signs.push(draw("text", { x: (x + u) / 2, y: (y + v) / 2 + 5, class: `sign kind-${link.kind}` }, link.sign));
    }
    return { path, sign: link.sign ? signs[signs.length - 1] : null, link };
  });
  svg.append(...signs);
  return drawn;
}

function lightUp(drawn, nodes, side, place, on) {
  for (const { path, sign, link } of drawn) {
    const isTouched = (side ? link.b : link.a) === place;
    for (const each of sign ? [path, sign] : [path]) {
      each.classList.toggle("dim", on && !isTouched);
      each.classList.toggle("is-lit", on && isTouched);
    }
    if (isTouched) nodes[1 - side][side ? link.a : link.b].classList.toggle("lit", on);
  }
  nodes[side][place].classList.toggle("lit", on);
}

/* Returns a stage as SVG that stands alone, in the colours that it has on the page. */
export function standalone(stage) {
  const origin = stage.getBoundingClientRect(), style = getComputedStyle(document.body);
  const picture = draw("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(origin.width), height: Math.ceil(origin.height),
    "font-family": "system-ui, sans-serif" });
  picture.append(draw("rect", { width: "100%", height: "100%", fill: style.backgroundColor }));
  for (const each of stage.querySelectorAll("svg path.link, svg text")) {
    const own = getComputedStyle(each), copy = each.cloneNode(true);
    if (own.display === "none") continue;
    copy.removeAttribute("class");
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor", "paint-order"]) {
      copy.setAttribute(name, own.getPropertyValue(name));
    }
    picture.append(copy);
  }
  for (const word of stage.querySelectorAll(".word")) {
    const box = word.getBoundingClientRect(), own = getComputedStyle(word);
    picture.append(draw("text", { x: box.left - origin.left + box.width / 2, y: box.top - origin.top + box.height / 2,
      fill: own.color, "font-size": own.fontSize, "text-anchor": "middle", "dominant-baseline": "central" }, word.textContent));
  }
  return new XMLSerializer().serializeToString(picture);
}
