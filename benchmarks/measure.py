"""Prints how long holdpoint takes for something, as a ratio to a reference measured beside it in the same run.

Each figure is a function with `@figure`. It gives pairs of commands; the two commands of a pair are run in turn, round
after round, so that whatever else the machine does weighs on both. Shown is the median of the rounds' ratios. Nothing
here passes or fails: a ratio above its aim is marked, for a person to look at.

A figure of the proxy is measured beside mitmproxy where `mitmdump` is installed; `--install` brings it, from the
Python Package Index, into an environment of its own that is gone afterwards.

usage: ./bench [--rounds N] [--install] [NAME...]
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = {}
INSTALL = False


class Pair:
    """What is measured, what it is measured against, and the ratio that is aimed at.

    `allowance` seconds are taken off our time first: a fixed cost that the aim grants.
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


@figure
def proxy(folder):
    """Calls through the proxy against the same calls straight to the target; both ends are plain hyper programs."""
    examples = build("--example", "run_proxy", "--example", "load_proxy") / "examples"
    with contextlib.ExitStack() as running:
        load = str(examples / "load_proxy")
        direct = Talking(running, [load, "target", "0"]).heard
        slow = Talking(running, [load, "target", "2"]).heard
        ours = Talking(running, [str(examples / "run_proxy"), direct])
        passed = {"ours": ours.heard, "slow": Talking(running, [str(examples / "run_proxy"), slow]).heard}
        mitmdump = shutil.which("mitmdump") or (install_mitmproxy(folder) if INSTALL else None)
        if mitmdump:
            passed["mitmproxy"] = start_mitmproxy(running, mitmdump, direct)

        def median(address, count):
            return int(run([load, "calls", address, "1", str(count)]).split()[0])

        def added(name, count=2000):
            straight = median(direct, count)
            return median(passed[name], count) - straight

        def share(straight, through):
            taken = [int(run([load, "calls", to, "64", "19200"]).split()[1]) for to in (straight, through)]
            return taken[0] / taken[1]

        def times_less():
            return added("mitmproxy", 500) / max(1, added("ours"))

        def growth_by_calls():
            run([load, "calls", passed["ours"], "64", "25600"])
            before = int(ours.ask("rss"))
            run([load, "calls", passed["ours"], "64", "76800"])
            grown = int(ours.ask("rss")) - before
            assert ours.ask("take") == "102400 0", "every call is counted, and none had a problem"
            passed["ours"] = ours.hear()
            return grown / 2**20

        def growth_by_a_body():
            before = int(ours.ask("rss"))
            run([load, "body", passed["ours"], str(2**30)])
            return (int(ours.ask("rss")) - before) / 2**20

        def restart():
            ours.ask("take")
            passed["ours"] = ours.hear()

        yield Value("added to a call, at the median", lambda: added("ours"), "µs", "500", lambda value: value <= 500)
        if mitmdump:
            fewer = "at least 5"
            yield Value("times less than mitmproxy adds", times_less, "", fewer, lambda value: value >= 5)
        else:
            print("  mitmproxy is not installed; `./bench --install proxy` brings it")
        half = {"unit": "of direct", "aim": "0.5", "is_met": lambda value: value >= 0.5}
        at_once, slowly = (lambda: share(direct, passed["ours"])), (lambda: share(slow, passed["slow"]))
        yield Value("throughput at 64 connections, target answers at once", at_once, **half)
        yield Value("throughput at 64 connections, target takes 2 ms", slowly, **half)
        restart()
        yield Value("memory from call 25,600 to 102,400 of a trial", growth_by_calls, "MiB", "8", lambda value: value <= 8)
        yield Value("memory for a body of 1 GiB each way", growth_by_a_body, "MiB", "8", lambda value: value <= 8)


class Talking:
    """A program that stays, says its address first, and answers a line with a line."""

    def __init__(self, running, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = running.enter_context(subprocess.Popen(command, **pipes))
        # It ends with its input; the stack closes that before it waits for the end.
        running.callback(self.process.stdin.close)
        self.heard = self.hear()

    def hear(self):
        return self.process.stdout.readline().strip()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.hear()


def install_mitmproxy(folder):
    run([sys.executable, "-m", "venv", folder / "mitmproxy"])
    run([folder / "mitmproxy" / "bin" / "pip", "install", "--quiet", "mitmproxy"])
    return folder / "mitmproxy" / "bin" / "mitmdump"


def start_mitmproxy(running, mitmdump, target):
    """Starts it in reverse mode, and gives its address once it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [mitmdump, "--quiet", "--mode", f"reverse:{target}", "--listen-host", "127.0.0.1", "--listen-port", str(port)]
    process = running.enter_context(subprocess.Popen(command))
    running.callback(process.terminate)
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return f"http://127.0.0.1:{port}"
        time.sleep(0.1)
    raise TimeoutError("mitmproxy did not begin to listen")


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


def measure_value(value, rounds):
    taken = sorted(value.take() for _ in range(rounds))
    median = statistics.median(taken)
    mark = "" if value.is_met(median) else "   MISSES ITS AIM"
    print(f"  {value.title}")
    print(f"    {median:.2f} {value.unit}", end=" ")
    print(f"({taken[0]:.2f} to {taken[-1]:.2f} in {rounds} rounds; aim {value.aim}){mark}", flush=True)


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
    parser.add_argument("--install", action="store_true", help="install what a figure is measured beside")
    arguments = parser.parse_args()
    global INSTALL
    INSTALL = arguments.install
    unknown = [name for name in arguments.names if name not in FIGURES]
    if unknown:
        parser.error(f"no figure is called {', '.join(unknown)}")
    for name in arguments.names or FIGURES:
        print(f"{name}: {FIGURES[name].__doc__.strip()}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for pair in FIGURES[name](pathlib.Path(folder)):
                (measure_value if isinstance(pair, Value) else measure)(pair, arguments.rounds)


if __name__ == "__main__":
    sys.exit(main())
