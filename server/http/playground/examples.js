/* What is worth a look, and what goes wrong. */
export const EXAMPLES = [
  { name: "a paraphrase", tab: "align", a: "The company said its profits rose sharply last year.", b: "Last year, the firm reported a steep increase in earnings." },
  { name: "an opposite and a number", tab: "align", a: "Profits increased by 5% in March.", b: "Profits decreased by 7% in March." },
  { name: "who did it: similar words, another meaning", tab: "align", a: "The dog bit the man.", b: "The man bit the dog." },
  { name: "several partners", tab: "align", a: "He kicked the bucket.", b: "He died." },
  { name: "a failure: an idiom", tab: "align", a: "It costs an arm and a leg.", b: "It is very expensive." },
  { name: "a failure: knowledge of the world", tab: "align", a: "The capital of France is crowded.", b: "Paris is full of people." },
  { name: "which sentence answers", tab: "rank", a: "When was the old mill in Ulm built?", b: "The mill in Ulm was built in 1894.\nThe old town of Ulm has a mill.\nUlm lies on the Danube.\nMills were built of wood." },
  { name: "a failure: the answer in other words", tab: "rank", a: "Who wrote Hamlet?", b: "Hamlet is a play.\nShakespeare is the author of the tragedy about the Danish prince.\nHe wrote many letters." },
  { name: "what a source supports", tab: "ground", a: "The old mill in Ulm was built in 1894 by Marta Lindqvist. It has 40 rooms.", b: "Ulm lies on the Danube. Its old mill was built in 1894.\n\nThe mill has 45 rooms." },
  { name: "what was changed", tab: "diff", a: "The plant opened in 1990. It has 40 workers. They make glass.", b: "They make glass. The plant opened in 1991. It does not have 40 workers." },
];
