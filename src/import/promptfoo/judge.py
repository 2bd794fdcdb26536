"""Judges as an imported assertion did: its code gets the answer, and what the test varies.

Called with `file PATH FUNCTION THRESHOLD` or `inline CODE - THRESHOLD`; an empty threshold is none. Reads holdpoint.judge/1.
"""

import contextlib
import importlib.util
import json
import sys


def code_of(form, what, name):
    if form == "file":
        spec = importlib.util.spec_from_file_location("assertion", what)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name)
    lines = what.strip().splitlines()
    body = lines if len(lines) > 1 else ["return " + lines[0]]
    scope = {"json": json}
    exec("def judge(output, context):\n" + "\n".join("    " + line for line in body), scope)
    return scope["judge"]


def verdict(result, threshold):
    if isinstance(result, bool):
        return result, ""
    if isinstance(result, (int, float)):
        return (result > 0 if threshold is None else result >= threshold), f"score {result}"
    passed = result.get("pass", result.get("pass_"))
    if not isinstance(passed, bool):
        raise SystemExit("the assertion's result has no `pass` that is true or false")
    enough = threshold is None or result.get("score", 0) >= threshold
    return passed and enough, str(result.get("reason", ""))


def main():
    form, what, name, limit = sys.argv[1:5]
    asked = json.load(sys.stdin)
    given, answer = asked["input"], asked["answer"]
    output = answer["output"] if isinstance(answer["output"], str) else answer["text"].strip()
    context = {"prompt": given["prompt"], "vars": given["vars"], "config": {}}
    # What the code prints is no part of the verdict.
    with contextlib.redirect_stdout(sys.stderr):
        result = code_of(form, what, name)(output, context)
    passed, message = verdict(result, float(limit) if limit else None)
    print(json.dumps({"pass": passed, "message": message}))


main()
