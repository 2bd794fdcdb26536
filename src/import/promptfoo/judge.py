"""Judges as an imported assertion did: its code gets the answer, and what the test varies.

Called with `file PATH FUNCTION THRESHOLD` or `inline CODE - THRESHOLD`; an empty threshold is none. With `levenshtein TEXT - MOST`
the answer is at most so many edits away from the text, with `no-json - - ""` it is no JSON. Reads holdpoint.judge/1.
"""

import contextlib
import importlib.util
import json
import sys


def units(text):
    """The UTF-16 units of a text, which the other tool counts."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def is_within(a, b, most):
    """Whether b is at most so many edits away from a; only what lies that near the diagonal is looked at."""
    if abs(len(a) - len(b)) > most:
        return False
    row = [min(at, most + 1) for at in range(len(b) + 1)]
    for i in range(1, len(a) + 1):
        next_row = [most + 1] * (len(b) + 1)
        next_row[0] = min(i, most + 1)
        for j in range(max(1, i - most), min(len(b), i + most) + 1):
            exchanged = row[j - 1] + (a[i - 1] != b[j - 1])
            next_row[j] = min(exchanged, row[j] + 1, next_row[j - 1] + 1, most + 1)
        row = next_row
    return row[len(b)] <= most


def is_json(text):
    try:
        # NaN and Infinity, which Python takes for JSON, are none.
        json.loads(text, parse_constant=int)
    except ValueError:
        return False
    return True


def code_of(form, what, name, limit):
    if form == "levenshtein":
        return lambda output, context: is_within(units(output), units(what), int(float(limit)))
    if form == "no-json":
        return lambda output, context: not is_json(output)
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
        result = code_of(form, what, name, limit)(output, context)
    passed, message = verdict(result, float(limit) if limit else None)
    print(json.dumps({"pass": passed, "message": message}))


main()
