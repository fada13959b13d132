import { make } from "./dom.js";

/* Draws a grid whose heads stay while it scrolls; words: those down, those across.
   links as for drawStage, with a mark for the cell;
   name: what a screen reader says of it. */
export function drawMatrix(box, words, links, aligned, onLink, name) {
  const [down, across] = words;
  const region = make("div", null, { class: "matrix", tabindex: "0", role: "region", "aria-label": name });
  const table = make("table"), head = table.createTHead().insertRow();
  head.append(make("td"));
  across.forEach((word, k) => {
    const th = make("th", null, { class: aligned[1].has(k) ? "" : "alone", scope: "col" });
    th.append(make("span", word));
    head.append(th);
  });
  const body = table.createTBody();
  const fields = down.map((word, k) => {
    const row = body.insertRow();
    row.append(make("th", word, { class: aligned[0].has(k) ? "" : "alone", scope: "row" }));
    return across.map(() => row.insertCell());
  });
  for (const link of links) {
    const field = fields[link.a][link.b];
    field.className = link.status;
    const button = make("button", link.mark || link.sign || "", { type: "button", title: link.label, "aria-label": link.label,
      tabindex: "-1", class: `kind-${link.kind || "none"}` });
    button.onclick = () => onLink(link);
    if (link.shade !== null) field.style.setProperty("--shade", `${Math.round(10 + 40 * link.shade)}%`);
    field.append(button);
  }
  region.append(table);
  box.append(region);
}
