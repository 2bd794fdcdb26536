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
    """What is measured, what it is measured against, and the ratio that is aimed at.

    `allowance` seconds are taken off our time first: a fixed cost that the aim grants.
    """

    def __init__(self, title, ours, reference, aim, allowance=0.0):
        self.title, self.ours, self.reference, self.aim, self.allowance = title, ours, reference, aim, allowance


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
    for title, program in [("cat", ["cat"]), ("a program in Python", [sys.executable, "-S", "-E", answer])]:

        def ours(program=program):
            state = tempfile.mkdtemp(dir=folder)
            printed = run([binary, str(count), str(jobs), state, *program])
            assert printed == f"{count}\n", f"{printed.strip()} of {count} trials came to an answer"

        def reference(program=program):
            listed = "\0".join(str(path) for path in sorted(inputs.iterdir()))
            run(["xargs", "-0", "-P", str(jobs), "-n", "1", *program], input=listed)

        yield Pair(f"{count} trials of {title}, {jobs} at a time, against xargs", ours, reference, 1.3)


@figure
def start(folder):
    """`holdpoint --version` against `true`: what starting costs."""
    binary = build("--bin", "holdpoint") / "holdpoint"
    times = 50

    def ours():
        for _ in range(times):
            run([binary, "--version"])

    def reference():
        for _ in range(times):
            run(["true"])

    yield Pair(f"{times} starts, of which each may take 20 ms", ours, reference, 3)


@figure
def gate(folder):
    """`holdpoint run --all` of 1,000 command cases, records and report included, against the same processes by xargs."""
    count, jobs = 1000, os.cpu_count()
    binary = build("--bin", "holdpoint") / "holdpoint"
    project = folder / "project"
    write_project(project, count)
    inputs = folder / "inputs"
    inputs.mkdir()
    for number in range(count):
        (inputs / f"{number:04}.json").write_text(invocation(number))
    listed = "\0".join(str(path) for path in sorted(inputs.iterdir()))

    def ours():
        printed = run([binary, "--project", project, "--quiet", "run", "--all", "--jobs", str(jobs)])
        assert f"{count} of {count} cases passed" in printed, printed[-500:]

    def reference():
        run(["xargs", "-0", "-P", str(jobs), "-n", "1", "cat"], input=listed)

    yield Pair(f"{count} cases, {jobs} at a time, against xargs", ours, reference, 1.5)


@figure
def plan(folder):
    """`holdpoint plan` between two revisions of 50,000 files with 5,000 cases, against `git diff --name-status`."""
    files, changed, cases = 50_000, 2_000, 5_000
    binary = build("--bin", "holdpoint") / "holdpoint"
    project = folder / "project"
    write_project(project, cases)
    for number in range(files - cases):
        path = project / "data" / f"{number // 500:03}" / f"{number:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"record {number}\n")
    git(project, "init", "--quiet")
    commit(project, "one")
    for number in range(changed):
        (project / "data" / f"{number * 20 // 500:03}" / f"{number * 20:05}.txt").write_text(f"changed {number}\n")
    commit(project, "two")

    def ours():
        planned = json.loads(run([binary, "--project", project, "plan", "--base", "HEAD~1", "--head", "HEAD", "--json"]))
        assert len(planned["selected"]) == cases, "an unknown path selects everything"

    def reference():
        assert git(project, "diff", "--name-status", "HEAD~1", "HEAD").count("\n") == changed

    yield Pair(f"{files} files, {changed} changed, {cases} cases", ours, reference, 3, allowance=1.0)


@figure
def check(folder):
    """`holdpoint check` of 10,000 case files, which may take a second, against `cat` of the same files."""
    count = 10_000
    binary = build("--bin", "holdpoint") / "holdpoint"
    project = folder / "project"
    write_project(project, count)

    def ours():
        assert f"{count} cases" in run([binary, "--project", project, "check"])

    def reference():
        run(["find", project / "cases", "-type", "f", "-exec", "cat", "{}", "+"])

    yield Pair(f"{count} case files", ours, reference, 10)


def write_project(folder, cases):
    """A project with one command workflow that echoes, and so many cases of it."""
    folder.mkdir()
    (folder / "holdpoint.yaml").write_text(
        "schema: holdpoint.project/1\nname: benchmark\n"
        "workflows:\n  echo:\n    command: {run: [cat]}\n    parts: [prompt]\n    answer: text\n"
    )
    (folder / "manifests").mkdir()
    (folder / "manifests" / "prompt.yaml").write_text(
        'kind: prompt\nid: prompt\nversion: "1"\nfiles: [prompt.txt]\n'
    )
    (folder / "prompt.txt").write_text("Answer.\n")
    for number in range(cases):
        path = folder / "cases" / "policy_accuracy" / f"{number // 1000:02}" / f"case-{number:05}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"id: case-{number:05}\ntitle: The question comes back\nworkflow: echo\n"
            f"input: {{question: Can I come on Tuesday at ten?, customer: K-{number}}}\n"
            "expect:\n  - contains: Tuesday at ten\n  - not: {contains: Wednesday}\n"
        )


def git(folder, *arguments):
    settings = ["-c", "user.name=benchmark", "-c", "user.email=benchmark@example.invalid", "-c", "gc.auto=0"]
    return run(["git", "-C", folder, *settings, *arguments])


def commit(folder, message):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


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
    times = []
    for number in range(rounds):
        # Each goes first as often as the other: what runs second finds warmer caches.
        order = [pair.ours, pair.reference] if number % 2 == 0 else [pair.reference, pair.ours]
        taken = {action: seconds(action) for action in order}
        times.append((taken[pair.ours], taken[pair.reference]))
    ratios = sorted(max(0.0, ours - pair.allowance) / reference for ours, reference in times)
    ours, reference = (statistics.median(column) for column in zip(*times))
    ratio = statistics.median(ratios)
    mark = "" if ratio <= pair.aim else "   ABOVE ITS AIM"
    print(f"  {pair.title}")
    allowance = f" less {pair.allowance:g} s" if pair.allowance else ""
    print(f"    {ours:7.3f} s{allowance} against {reference:7.3f} s: ratio {ratio:.2f}", end=" ")
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
