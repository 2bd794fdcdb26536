"""The figure beside other programs that run cases and judge answers: promptfoo and inspect-ai.

Both are installed on request only, in fixed versions, below `target/peers`. While they are measured they reach no network:
their proxy is a port of this machine on which nobody listens. A run counts only where what the program wrote says that every case passed.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

from harness import ROOT, Pair, Settings, build, figure, run, write_project
from runner_figures import holdpoint, write_practice_project

COUNT, JOBS = 1000, 4
PHRASE = "Tuesday at ten"
QUESTION = f"Can I come on {PHRASE}?"


class Peer:
    """A program that holdpoint is measured beside, and the folder that it is installed in."""

    def __init__(self, name, version, install):
        self.name, self.version, self.install = name, version, install
        self.folder = ROOT / "target" / "peers" / f"{name}-{version}"
        # Written last, so that an installation that was broken off is not taken for one.
        self.mark = self.folder / "installed"

    def is_there(self):
        if not self.mark.exists() and Settings.install:
            print(f"  installing {self.name} {self.version} below target/peers", flush=True)
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.install(self)
            self.mark.touch()
        return self.mark.exists()

    def environment(self, home):
        """What it runs with: a home of its own, and no way to a network."""
        nowhere = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
        path = os.pathsep.join([str(self.folder / "node_modules" / ".bin"), os.environ["PATH"]])
        return {**os.environ, **nowhere, "NO_PROXY": "", "no_proxy": "", "HOME": str(home), "PATH": path}


def install_promptfoo(peer):
    # It comes with the Node.js that it needs, which is newer than that of many machines.
    packages = [f"promptfoo@{peer.version}", "node@22.23.3"]
    settings = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
    command = ["npm", "install", "--prefix", peer.folder, "--save-exact", "--no-audit", "--no-fund", "--loglevel=error"]
    run([*command, *packages], env=settings)


def install_inspect(peer):
    run([sys.executable, "-m", "venv", peer.folder])
    run([peer.folder / "bin" / "pip", "install", "--quiet", f"inspect-ai=={peer.version}"])


PROMPTFOO = Peer("promptfoo", "0.123.1", install_promptfoo)
INSPECT = Peer("inspect-ai", "0.3.285", install_inspect)


@figure
def peers(folder):
    """1,000 cases with one check for a phrase, records and report included, against promptfoo and inspect-ai, 4 at a time."""
    there = [peer for peer in (PROMPTFOO, INSPECT) if peer.is_there()]
    missing = [f"{peer.name} {peer.version}" for peer in (PROMPTFOO, INSPECT) if peer not in there]
    if missing:
        listed = " and ".join(missing)
        print(f"  not installed, so no figure: {listed}; `./bench --install peers` brings what is missing, below target/peers")
    if not there:
        return
    binaries = build("--bin", "holdpoint")
    asked, practice = folder / "asked", folder / "practice"
    write_project(asked, COUNT, expect=[f"contains: {PHRASE}"])
    write_practice_project(practice, COUNT)

    def run_holdpoint(project):
        printed = holdpoint(binaries, project, "run", "--all", "--jobs", str(JOBS))
        assert f"{COUNT} of {COUNT} cases passed" in printed, printed[-500:]

    def commands():
        run_holdpoint(asked)

    def trials_in_process():
        run_holdpoint(practice)

    if PROMPTFOO in there:
        echo = shutil.which("echo")
        title = "a process for each case on both sides: cat, and echo by promptfoo's `exec:`"
        yield Pair(title, commands, promptfoo(folder, f"exec:{echo}"), None)
        title = "cat for each case, against promptfoo's `echo` provider, which starts no process"
        yield Pair(title, commands, promptfoo(folder, "echo"), None)
    if INSPECT in there:
        in_process = inspect(folder)
        title = "cat for each case, against inspect-ai's mockllm, which starts no process and uses one processor"
        yield Pair(title, commands, in_process, None)
        title = "a practice workflow in process, with a database file for each case and a probe of it, against the same of inspect-ai"
        yield Pair(title, trials_in_process, in_process, None)


def promptfoo(folder, provider):
    """What runs the cases with this provider: reads one configuration, fills its database, and writes its results as JSON."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="promptfoo-", dir=folder))
    tests = [
        {"vars": {"question": QUESTION, "customer": f"K-{number}"}, "assert": [{"type": "contains", "value": PHRASE}]}
        for number in range(COUNT)
    ]
    configuration = {"prompts": ["{{question}} {{customer}}"], "providers": [provider], "tests": tests}
    (place / "promptfooconfig.json").write_text(json.dumps(configuration))
    switches = ("TELEMETRY", "UPDATE", "SHARING", "REMOTE_GENERATION")
    settings = {f"PROMPTFOO_DISABLE_{switch}": "1" for switch in switches}
    settings |= {"PROMPTFOO_CONFIG_DIR": str(place / "kept"), "NODE_NO_WARNINGS": "1"}
    environment = {**PROMPTFOO.environment(place), **settings}
    written = place / "results.json"
    program = PROMPTFOO.folder / "node_modules" / ".bin" / "promptfoo"
    options = ["--no-cache", "--no-share", "--no-table", "--no-progress-bar", "--max-concurrency", str(JOBS)]

    def evaluate():
        written.unlink(missing_ok=True)
        run([program, "eval", "--config", place / "promptfooconfig.json", "--output", written, *options], env=environment)
        return all_passed

    def all_passed():
        results = json.loads(written.read_text())["results"]
        stats = {name: results["stats"][name] for name in ("successes", "failures", "errors")}
        assert stats == {"successes": COUNT, "failures": 0, "errors": 0}, f"promptfoo counted {stats}"
        passed = sum(result["success"] and PHRASE in result["response"]["output"] for result in results["results"])
        assert passed == COUNT, f"promptfoo wrote {passed} results of cases that passed"

    return evaluate


def inspect(folder):
    """What runs the samples with mockllm: reads them from one file, scores with `includes`, and writes its log."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="inspect-", dir=folder))
    samples = place / "samples.jsonl"
    with samples.open("w") as lines:
        for number in range(COUNT):
            line = {"id": f"case-{number:05}", "input": f"{QUESTION} K-{number}", "target": PHRASE}
            lines.write(json.dumps(line) + "\n")
    environment = INSPECT.environment(place)
    program = INSPECT.folder / "bin" / "inspect"
    # Below the root: inspect-ai takes no absolute path.
    task = "benchmarks/programs/inspect_task.py"
    options = ["-T", f"samples={samples}", "--display", "none", "--max-samples", str(JOBS), "--max-connections", str(JOBS)]
    logs = place / "logs"

    def evaluate():
        shutil.rmtree(logs, ignore_errors=True)
        run([program, "eval", task, "--log-dir", logs, *options], env=environment)
        return all_passed

    def all_passed():
        [log] = logs.glob("*.eval")
        header = json.loads(run([program, "log", "dump", "--header-only", log], env=environment))
        results = header["results"]
        seen = (header["status"], results["completed_samples"], results["scores"][0]["metrics"]["accuracy"]["value"])
        assert seen == ("success", COUNT, 1), f"inspect-ai's log says {seen}"

    return evaluate
