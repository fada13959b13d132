/* The calls of the page, and the same calls in other languages. */
const LINES = /\n/, PARAGRAPHS = /\n\s*\n/;
const parts = (text, between) => text.split(between).map((each) => each.trim()).filter(Boolean);

export const TABS = {
  align: { path: "/v1/align", a: "source", b: "target" },
  rank: { path: "/v1/rerank", a: "question", b: "candidates, one on each line" },
  ground: { path: "/v1/ground", a: "answer", b: "passages, with an empty line between", page: "evidence" },
  diff: { path: "/v1/diff", a: "old text", b: "new text", page: "differences" },
};

/* The body of a call; is null while there is nothing to ask. */
export function bodyOf(state, { isBeside = false, explain = false } = {}) {
  const { tab, a, b, model } = state;
  if (!a.trim() || !b.trim()) return null;
  const named = model ? { model } : {};
  if (tab === "rank") return { query: a, documents: parts(b, LINES), highlights: true, ...named };
  if (tab === "ground") return { answer: a, passages: parts(b, PARAGRAPHS).map((text, k) => ({ id: `passage ${k + 1}`, text })), ...named };
  if (tab === "diff") return { old: a, new: b, ...named };
  const [other, otherStyle] = state.beside.split("/");
  const style = isBeside ? otherStyle : state.style;
  return { source: a, target: b, ...(isBeside ? { model: other } : named), ...(style ? { style } : {}), ...(state.related ? { related: true } : {}),
    ...(state.must.length && !isBeside ? { anchors: state.must } : {}),
    ...(state.not.length && !isBeside ? { forbidden: state.not } : {}), relations: true, ...(explain ? { explain: true } : {}) };
}

/* Asks the server; promises its answer, or its page for people, and throws what it says where it refuses. */
export async function ask(path, body, token, signal, isPage = false) {
  const headers = { accept: isPage ? "text/html" : "application/json", "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body), signal } : { headers, signal });
  if (response.ok && isPage) return response.text();
  const answer = await response.json();
  if (response.ok) return answer;
  const error = new Error(`${answer.detail || answer.title} (${answer.reason || response.status})`);
  error.status = response.status;
  throw error;
}

/* A call in a language; where a token is used, TOKEN stands in its place. */
export function codeOf(form, state, hasToken) {
  const { path } = TABS[state.tab], body = bodyOf(state), url = `${location.origin}${path}`;
  if (form === "python") return pythonOf(state.tab, body);
  if (form === "curl") return `curl ${url} -H 'content-type: application/json'${hasToken ? " -H \"authorization: Bearer $TOKEN\"" : ""} ` +
    `-d '${JSON.stringify(body, null, 2).replace(/'/g, "'\\''")}'`;
  const places = { URL: JSON.stringify(url), BODY: JSON.stringify(JSON.stringify(body)),
    HEADER: hasToken ? "\n\trequest.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"TOKEN\"))" : "", OS: hasToken ? "\n\t\"os\"" : "" };
  return GO.replace(/\b(BODY|URL|HEADER|OS)\b/g, (name) => places[name]);
}

/* The same by the library, which needs no server. Strings of JSON are strings of Python. */
function pythonOf(tab, { model, source, target, anchors, forbidden, style, related, query, documents, answer, passages, old, new: now }) {
  const constraints = Object.entries({ anchors, forbidden }).filter(([, value]) => value);
  const given = {
    align: () => [source, target, ...(style ? [["style", style]] : []), ...(related ? [["related", true]] : []), ...constraints, ["relations", true]],
    rank: () => [query, documents, ["passages", true], ["truncate", true]],
    ground: () => [answer, passages.map(({ text }) => text)],
    diff: () => [old, now],
  }[tab]();
  const said = (value) => value === true ? "True" : JSON.stringify(value);
  const lines = given.map((value, k) => `    ${k > 1 ? `${value[0]}=${said(value[1])}` : JSON.stringify(value, null, 4).replace(/\n/g, "\n    ")},\n`);
  return `from tokalign import Aligner\n\naligner = Aligner.load(${model ? JSON.stringify(model) : ""})\n` +
    `found = aligner.${tab}(\n${lines.join("")})\n${tab === "rank" ? "for each in found:\n    print(each)" : "print(found)"}`;
}

const GO = `package main

import (
\t"fmt"
\t"io"
\t"net/http"OS
\t"strings"
)

func main() {
\tbody := strings.NewReader(BODY)
\trequest, err := http.NewRequest("POST", URL, body)
\tif err != nil {
\t\tpanic(err)
\t}
\trequest.Header.Set("Content-Type", "application/json")HEADER
\tanswer, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer answer.Body.Close()
\ttext, err := io.ReadAll(answer.Body)
\tfmt.Println(string(text), err)
}`;
