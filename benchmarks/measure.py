"""Prints how long holdpoint takes for something, as a ratio to a reference measured beside it in the same run.

A figure of the proxy is measured beside mitmproxy where `mitmdump` is installed; `--install` brings it, from the
Python Package Index, into an environment of its own that is gone afterwards. `peers` is measured beside promptfoo and
inspect-ai, which `--install` brings from npm and the Python Package Index, in fixed versions, to stay below `target/peers`.

usage: ./bench [--rounds N] [--install] [NAME...]
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from harness import Pair, Settings, Value, build, commit, figure, git, invocation, main, run, write_project
from harness import ROOT
import peers  # noqa: F401  registers its figure
import report_page  # noqa: F401  registers its figures
import runner_figures  # noqa: F401  registers its figures


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
def ledger(folder):
    """Checking and folding a ledger of 200 acceptances over 10,000 cases."""
    binary = build("--example", "fold_ledger") / "examples" / "fold_ledger"
    cases, acceptances, changed = 10_000, 200, 50
    written = folder / "ledger"
    run([binary, "write", written, str(cases), str(acceptances), str(changed)])

    def took():
        taken, records, in_force = run([binary, "read", written]).split()
        assert (int(records), int(in_force)) == (acceptances, cases), f"{records} records, {in_force} cases"
        return float(taken)

    yield Value("the first of all cases, each later one of 50", took, "s", "1", lambda value: value <= 1)


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
        bare = Talking(running, [load, "pass", direct]).heard
        stub = Talking(running, [sys.executable, str(ROOT / "benchmarks/programs/stub.py")]).heard
        passed["stub"] = Talking(running, [str(examples / "run_proxy"), stub]).heard
        mitmdump = shutil.which("mitmdump") or (install_mitmproxy(folder) if Settings.install else None)
        if mitmdump:
            passed["mitmproxy"] = start_mitmproxy(running, mitmdump, direct)

        def median(address, count):
            return int(run([load, "calls", address, "1", str(count)]).split()[0])

        def added(name, count=2000):
            straight = median(direct, count)
            return median(passed[name], count) - straight

        def share(straight, through, count=19200):
            taken = [int(run([load, "calls", to, "64", str(count)]).split()[1]) for to in (straight, through)]
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
            begun = time.perf_counter()
            taken = int(ours.ask("take").split()[0])
            passed["ours"] = ours.hear()
            return (time.perf_counter() - begun) / max(1, taken)

        def at_once():
            # A trial of its own each time: one that has as many records as it can hold would keep no more.
            restart()
            return share(direct, passed["ours"])

        def gathering():
            at_once()
            return restart() * 1e6

        yield Value("added to a call, at the median", lambda: added("ours"), "µs", "500", lambda value: value <= 500)
        if mitmdump:
            fewer = "at least 5"
            yield Value("times less than mitmproxy adds", times_less, "", fewer, lambda value: value >= 5)
        else:
            print("  mitmproxy is not installed; `./bench --install proxy` brings it")
        half = {"unit": "of direct", "aim": "0.5", "is_met": lambda value: value >= 0.5}
        slowly = lambda: share(slow, passed["slow"])
        yield Value("throughput at 64 connections, target answers at once", at_once, **half)
        yield Value("made of its calls after that, when the trial is gathered", gathering, "µs", "none", bool)
        yield Value("the same through a proxy that records nothing", lambda: share(direct, bare), "of direct", "none", bool)
        yield Value("throughput at 64 connections, target takes 2 ms", slowly, **half)
        stubbed = lambda: share(stub, passed["stub"], 6400)
        yield Value("throughput at 64 connections, target is a stub in Python", stubbed, **half)
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


if __name__ == "__main__":
    sys.exit(main(__doc__.split("\n")[0]))
