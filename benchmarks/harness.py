"""What the figures share: how a ratio is measured and printed, and the projects they are measured on.

Each figure is a function with `@figure`. It gives pairs of commands; the two commands of a pair are run in turn, round
after round, so that whatever else the machine does weighs on both. Shown is the median of the rounds' ratios. Nothing
here passes or fails: a ratio above its aim is marked, for a person to look at.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = {}


class Settings:
    """What the command line says and figures ask for: whether they may install what they are measured beside."""

    install = False


class Pair:
    """What is measured, what it is measured against, and the ratio that is aimed at, if any is.

    `allowance` seconds are taken off our time first: a fixed cost that the aim grants.
    What either gives back is called once the clock has stopped: it looks at what came out.
    """

    def __init__(self, title, ours, reference, aim, allowance=0.0):
        self.title, self.ours, self.reference, self.aim, self.allowance = title, ours, reference, aim, allowance


class Value:
    """What is measured by itself: `take` gives a number, and `is_met` says whether that is what is aimed at."""

    def __init__(self, title, take, unit, aim, is_met):
        self.title, self.take, self.unit, self.aim, self.is_met = title, take, unit, aim, is_met


def figure(function):
    FIGURES[function.__name__] = function
    return function


BOTH_WAYS = ("contains: Tuesday at ten", "not: {contains: Wednesday}")


def write_project(folder, cases, workflow="command: {run: [cat]}", expect=BOTH_WAYS):
    """A project with one workflow that echoes, a command unless another is given, and so many cases of it."""
    expectations = "".join(f"  - {expectation}\n" for expectation in expect)
    folder.mkdir()
    (folder / "holdpoint.yaml").write_text(
        "schema: holdpoint.project/1\nname: benchmark\n"
        f"workflows:\n  echo:\n    {workflow}\n    parts: [prompt]\n    answer: text\n"
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
            f"expect:\n{expectations}"
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
    look = action()
    taken = time.perf_counter() - begun
    if look:
        look()
    return taken


def measure_value(value, rounds):
    taken = sorted(value.take() for _ in range(rounds))
    median = statistics.median(taken)
    mark = "" if value.is_met(median) else "   MISSES ITS AIM"
    print(f"  {value.title}")
    print(f"    {median:.2f} {value.unit}", end=" ")
    print(f"({taken[0]:.2f} to {taken[-1]:.2f} in {rounds} rounds; aim {value.aim}){mark}", flush=True)


def measure(pair, rounds):
    seconds(pair.ours)
    seconds(pair.reference)
    times = []
    for number in range(rounds):
        # Each goes first as often as the other: what runs second finds warmer caches.
        order = [pair.ours, pair.reference] if number % 2 == 0 else [pair.reference, pair.ours]
        taken = {action: seconds(action) for action in order}
        times.append((taken[pair.ours], taken[pair.reference]))
    ratios = sorted(max(0.0, ours - pair.allowance) / reference for ours, reference in times)
    ours, reference = (statistics.median(column) for column in zip(*times))
    ratio = statistics.median(ratios)
    aim = "none" if pair.aim is None else f"{pair.aim:g}"
    mark = "" if pair.aim is None or ratio <= pair.aim else "   ABOVE ITS AIM"
    print(f"  {pair.title}")
    allowance = f" less {pair.allowance:g} s" if pair.allowance else ""
    print(f"    {ours:7.3f} s{allowance} against {reference:7.3f} s: ratio {ratio:.2f}", end=" ")
    print(f"({ratios[0]:.2f} to {ratios[-1]:.2f} in {rounds} rounds; aim {aim}){mark}", flush=True)


def main(description):
    parser = argparse.ArgumentParser(prog="./bench", description=description)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each pair (default 5)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures: {', '.join(FIGURES)} (default all)")
    parser.add_argument("--install", action="store_true", help="install what a figure is measured beside")
    arguments = parser.parse_args()
    Settings.install = arguments.install
    unknown = [name for name in arguments.names if name not in FIGURES]
    if unknown:
        parser.error(f"no figure is called {', '.join(unknown)}")
    for name in arguments.names or FIGURES:
        print(f"{name}: {FIGURES[name].__doc__.strip()}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for pair in FIGURES[name](pathlib.Path(folder)):
                (measure_value if isinstance(pair, Value) else measure)(pair, arguments.rounds)
