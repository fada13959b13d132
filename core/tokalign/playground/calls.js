/* The calls of the page, and the same calls in other languages. */
const LINES = /\n/, PARAGRAPHS = /\n\s*\n/;
const parts = (text, between) => text.split(between).map((each) => each.trim()).filter(Boolean);

export const TABS = {
  align: { path: "/v1/align", a: "source", b: "target" },
  rank: { path: "/v1/rerank", a: "question", b: "candidates, one on each line" },
  ground: { path: "/v1/ground", a: "answer", b: "passages, with an empty line between" },
  diff: { path: "/v1/diff", a: "old text", b: "new text" },
};

/* The body of a call; is null while there is nothing to ask. */
export function bodyOf(state, { isBeside = false, explain = false } = {}) {
  const { tab, a, b, model } = state;
  if (!a.trim() || !b.trim()) return null;
  const named = model ? { model } : {};
  if (tab === "rank") return { query: a, documents: parts(b, LINES), ...named };
  if (tab === "ground") return { answer: a, passages: parts(b, PARAGRAPHS), ...named };
  if (tab === "diff") return { old: a, new: b, ...named };
  const [other, otherStyle] = state.beside.split("/");
  const style = isBeside ? otherStyle : state.style;
  return { source: a, target: b, ...(isBeside ? { model: other } : named), ...(style ? { style } : {}),
    ...(state.must.length && !isBeside ? { anchors: state.must } : {}),
    ...(state.not.length && !isBeside ? { forbidden: state.not } : {}), relations: true, ...(explain ? { explain: true } : {}) };
}

/* Asks the server; promises its answer, and throws what it says where it refuses. */
export async function ask(path, body, token, signal) {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body), signal } : { headers, signal });
  const answer = await response.json();
  if (response.ok) return answer;
  const error = new Error(`${answer.detail || answer.title} (${answer.reason || response.status})`);
  error.status = response.status;
  throw error;
}

export function codeOf(form, path, body) {
  const json = JSON.stringify(body, null, 2), url = `${location.origin}${path}`;
  if (form === "curl") return `curl ${url} -H 'content-type: application/json' -d '${json.replace(/'/g, "'\\''")}'`;
  if (form === "go") return GO.replace(/BODY|URL/g, (name) => JSON.stringify(name === "URL" ? url : JSON.stringify(body)));
  return `import json\nimport urllib.request\n\nbody = json.loads(r'''${json.replace(/'/g, "\\u0027")}''')\n` +
    `request = urllib.request.Request(${JSON.stringify(url)}, json.dumps(body).encode(),\n` +
    `                                 {"content-type": "application/json"})\n` +
    "print(json.load(urllib.request.urlopen(request)))";
}

const GO = `package main

import (
\t"fmt"
\t"io"
\t"net/http"
\t"strings"
)

func main() {
\tbody := strings.NewReader(BODY)
\tanswer, err := http.Post(URL, "application/json", body)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer answer.Body.Close()
\ttext, err := io.ReadAll(answer.Body)
\tfmt.Println(string(text), err)
}`;
