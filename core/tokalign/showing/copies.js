/* Alignments in the notations that people copy. pair: {id, source, target}, links: {i, j, p}. */
export function pharaoh(pair, links) {
  return [...links].sort((x, y) => x.i - y.i || x.j - y.j).map(({ i, j }) => `${i}-${j}`).join(" ");
}

export function jsonLine(pair, links) {
  return JSON.stringify({ id: pair.id, source: pair.source, target: pair.target, links: links.map(({ i, j, p }) => [i, j, p]) });
}

const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
const tex = (word) => word.replace(/[\\~^]|[#$%&_{}]/g, (each) => TEX[each] || `\\${each}`);

/* A table of the linked words. */
export function latex(pair, links) {
  const rows = links.map(({ i, j, p }) => `  ${tex(pair.source[i])} & ${tex(pair.target[j])} & ${p.toFixed(2)} \\\\`);
  return ["\\begin{tabular}{llr}", "  source & target & confidence \\\\", "  \\hline", ...rows, "\\end{tabular}"].join("\n");
}

/* Two rows of words with curves between them. */
export function tikz(pair, links) {
  const row = (words, name, y) => words.map((word, k) => {
    const place = k ? `right=2mm of ${name}${k - 1}.base east, anchor=base west` : `anchor=base west`;
    return `  \\node[${place}] (${name}${k}) ${k ? "" : `at (0, ${y}) `}{${tex(word)}};`;
  });
  const curves = links.map(({ i, j, p }) => `  \\draw[opacity=${(0.25 + 0.75 * p).toFixed(2)}] (s${i}.south) to[out=-90, in=90] (t${j}.north);`);
  return ["% \\usetikzlibrary{positioning}", "\\begin{tikzpicture}", ...row(pair.source, "s", 0), ...row(pair.target, "t", -2), ...curves,
    "\\end{tikzpicture}"].join("\n");
}

/* Gives a file to the reader. */
export function save(name, content) {
  const link = document.createElement("a"), address = URL.createObjectURL(content);
  link.setAttribute("href", address);
  link.setAttribute("download", name);
  link.click();
  URL.revokeObjectURL(address);
}

/* Draws an SVG at twice its size; promises the PNG. */
export function png(svg) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * image.width;
      canvas.height = 2 * image.height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    };
    image.onerror = () => reject(new Error("the picture cannot be drawn"));
    image.setAttribute("src", `data:image/svg+xml,${encodeURIComponent(svg)}`);
  });
}
