"""Prints how long holdpoint takes for something, as a ratio to a reference measured beside it in the same run.

Each figure is a function with `@figure`. It gives pairs of commands; the two commands of a pair are run in turn, round
after round, so that whatever else the machine does weighs on both. Shown is the median of the rounds' ratios. Nothing
here passes or fails: a ratio above its aim is marked, for a person to look at.

usage: ./bench [--rounds N] [NAME...]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = {}


class Pair:
    """What is measured, what it is measured against, and the ratio that is aimed at."""

    def __init__(self, title, ours, reference, aim):
        self.title, self.ours, self.reference, self.aim = title, ours, reference, aim


def figure(function):
    FIGURES[function.__name__] = function
    return function


@figure
def execution(folder):
    """1,000 command cases against the same 1,000 processes started by `xargs -P`, with the same input."""
    count, jobs = 1000, os.cpu_count()
    binary = build("--example", "execute_trials") / "examples" / "execute_trials"
    inputs = folder / "inputs"
    inputs.mkdir()
    for number in range(count):
        (inputs / f"{number:04}.json").write_text(invocation(number))
    answer = str(ROOT / "benchmarks" / "programs" / "answer.py")
    for title, program in [("cat", ["cat"]), ("a program in Python", ["python3", "-S", "-E", answer])]:

        def ours(program=program):
            state = tempfile.mkdtemp(dir=folder)
            printed = run([binary, str(count), str(jobs), state, *program])
            assert printed == f"{count}\n", f"{printed.strip()} of {count} trials came to an answer"

        def reference(program=program):
            listed = "\0".join(str(path) for path in sorted(inputs.iterdir()))
            run(["xargs", "-0", "-P", str(jobs), "-n", "1", *program], input=listed)

        yield Pair(f"{count} trials of {title}, {jobs} at a time, against xargs", ours, reference, 1.3)


def invocation(number):
    question = {"operation": "op-7", "question": "Can I come on Tuesday at ten?", "customer": "K-12"}
    call = {"schema": "holdpoint.invoke/1", "case": "one", "trial": number, "step": 1, "operation": "op-7"}
    return json.dumps({**call, "input": question, "state_dir": "/tmp", "connectors": {}, "now": "2026-01-01T00:00:00Z"})


def build(*what):
    """Builds in release mode and gives the folder of what was built."""
    command = ["cargo", "build", "--release", "--quiet", "--message-format", "json", *what]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    built = [message["executable"] for message in map(json.loads, lines) if message.get("executable")]
    folder = pathlib.Path(built[-1]).parent
    return folder.parent if folder.name == "examples" else folder


def run(command, **settings):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, **settings).stdout


def seconds(action):
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def measure(pair, rounds):
    pair.ours()
    pair.reference()
    times = [(seconds(pair.ours), seconds(pair.reference)) for _ in range(rounds)]
    ratios = sorted(ours / reference for ours, reference in times)
    ours, reference = (statistics.median(column) for column in zip(*times))
    ratio = statistics.median(ratios)
    mark = "" if ratio <= pair.aim else "   ABOVE ITS AIM"
    print(f"  {pair.title}")
    print(f"    {ours:7.3f} s against {reference:7.3f} s: ratio {ratio:.2f}", end=" ")
    print(f"({ratios[0]:.2f} to {ratios[-1]:.2f} in {rounds} rounds; aim {pair.aim:g}){mark}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./bench", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each pair (default 5)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures: {', '.join(FIGURES)} (default all)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in FIGURES]
    if unknown:
        parser.error(f"no figure is called {', '.join(unknown)}")
    for name in arguments.names or FIGURES:
        print(f"{name}: {FIGURES[name].__doc__.strip()}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for pair in FIGURES[name](pathlib.Path(folder)):
                measure(pair, arguments.rounds)


if __name__ == "__main__":
    sys.exit(main())
