import { draw, make } from "./dom.js";

export const percent = (x) => (100 * x).toFixed(1);

export function figures({ title, columns, rows, note }) {
  const table = make("table", null, { class: "figures", tabindex: "0" });
  table.append(make("caption", title));
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(make("th", column, { scope: "col" }));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((cell, k) => line.append(make(k ? "td" : "th", cell, k ? {} : { scope: "row" })));
  }
  if (note) {
    const cell = make("td", note, { colspan: columns.length, class: "remark" });
    table.createTFoot().insertRow().append(cell);
  }
  return table;
}

/* Share of right links over confidence; a calibrated system lies on the diagonal. */
export function reliability({ bins, links, expected_error: error }) {
  const side = 220, edge = 34, x = (value) => edge + value * side, y = (value) => edge / 2 + (1 - value) * side;
  const figure = make("figure", null, { class: "reliability" });
  figure.append(make("figcaption", "Reliability of confidences"));
  const svg = draw("svg", { width: side + 1.5 * edge, viewBox: `0 0 ${side + 1.5 * edge} ${side + 1.5 * edge}`, role: "img",
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
export function ladder(systems) {
  const rows = [...systems].sort((a, b) => b.f1 - a.f1), step = 22, side = 320, left = 190;
  const low = Math.min(...rows.map((row) => row.interval[0])), high = Math.max(...rows.map((row) => row.interval[1]));
  const x = (value) => left + ((value - low) / (high - low || 1)) * side, bottom = step * rows.length + 6;
  const figure = make("figure", null, { class: "reliability" });
  figure.append(make("figcaption", "F1 and its 95% interval"));
  const svg = draw("svg", { width: left + side + 60, viewBox: `0 0 ${left + side + 60} ${bottom + 20}`, role: "img",
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
