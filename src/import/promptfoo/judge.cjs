// Judges as an imported assertion did: its code gets the answer, and what the test varies.
//
// Called with `file PATH FUNCTION THRESHOLD` or `inline CODE - THRESHOLD`; an empty threshold is none. Reads holdpoint.judge/1.

const path = require("node:path");
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");

async function codeOf(form, what, name) {
  if (form === "inline") {
    const body = what.trim().includes("\n") ? what : `return ${what.trim()}`;
    return new Function("output", "context", body);
  }
  const module = await import(pathToFileURL(path.resolve(what)));
  const whole = module.default ?? module;
  return name === "-" ? (whole.default ?? whole) : (module[name] ?? whole[name]);
}

function verdict(result, threshold) {
  if (typeof result === "boolean") return [result, ""];
  if (typeof result === "number") {
    return [threshold === undefined ? result > 0 : result >= threshold, `score ${result}`];
  }
  if (typeof result?.pass !== "boolean") {
    throw new Error("the assertion's result has no `pass` that is true or false");
  }
  const enough = threshold === undefined || (result.score ?? 0) >= threshold;
  return [result.pass && enough, String(result.reason ?? "")];
}

async function main() {
  const [form, what, name, limit] = process.argv.slice(2);
  const { input, answer } = JSON.parse(readFileSync(0, "utf8"));
  const output = typeof answer.output === "string" ? answer.output : answer.text.trim();
  const context = { prompt: input.prompt, vars: input.vars, config: {} };
  // What the code prints is no part of the verdict.
  console.log = console.error;
  const result = await (await codeOf(form, what, name))(output, context);
  const [pass, message] = verdict(result, limit === "" ? undefined : Number(limit));
  process.stdout.write(JSON.stringify({ pass, message }));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
