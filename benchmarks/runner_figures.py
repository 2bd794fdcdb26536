"""The figures of the runner: many processes, many trials in process, many calls to a slow service, and many cases."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
import time

from harness import ROOT, Pair, Value, build, figure, invocation, run, write_project


@figure
def commands(folder):
    """`holdpoint run` of 1,000 command cases, records and report included, against the same processes just started."""
    count, jobs = 1000, 4
    folder_of_builds = build("--bin", "holdpoint", "--example", "spawn_plain")
    project = folder / "project"
    write_project(project, count)
    question = folder / "invocation.json"
    question.write_text(invocation(1))

    def ours():
        printed = holdpoint(folder_of_builds, project, "run", "--all", "--jobs", str(jobs))
        assert f"{count} of {count} cases passed" in printed, printed[-500:]

    def reference():
        command = [folder_of_builds / "examples" / "spawn_plain", str(count), str(jobs), question, "cat"]
        assert run(command).strip() == str(count)

    yield Pair(f"{count} cases of cat, {jobs} at a time, against a bare spawner", ours, reference, 1.3)


@figure
def mesa(folder):
    """10,000 trials of a practice workflow in process, each with a database file of its own."""
    count = 10_000
    binaries = build("--bin", "holdpoint")
    project = folder / "project"
    write_practice_project(project, count)

    def take():
        begun = time.perf_counter()
        printed = holdpoint(binaries, project, "run", "--all")
        assert f"{count} of {count} cases passed" in printed, printed[-500:]
        return count / (time.perf_counter() - begun)

    yield Value(f"{count} trials, one for each processor", take, "trials/s", "at least 2,000", lambda rate: rate >= 2000)


@figure
def http(folder):
    """1,000 cases of an HTTP service that takes 50 ms for an answer, 32 at a time, against the least they could take."""
    count, jobs, delay = 1000, 32, 0.05
    ideal = -(-count // jobs) * delay
    binaries = build("--bin", "holdpoint")
    with slow_service(delay) as url:
        project = folder / "project"
        write_project(project, count, workflow=f"http: {{url: {url}}}")

        def take():
            begun = time.perf_counter()
            printed = holdpoint(binaries, project, "run", "--all", "--jobs", str(jobs))
            assert f"{count} of {count} cases passed" in printed, printed[-500:]
            return (time.perf_counter() - begun) / ideal

        title = f"{count} cases, {jobs} at a time, answers after {delay * 1000:.0f} ms, against {ideal:.1f} s"
        yield Value(title, take, "times the ideal", "at most 1.15", lambda ratio: ratio <= 1.15)


@figure
def scale(folder):
    """100,000 command cases against 1,000: the cost of a case, the memory, and how soon the first case starts."""
    few, many = 1_000, 100_000
    binaries = build("--bin", "holdpoint")
    measured = {}
    for count in (few, many):
        project = folder / f"project-{count}"
        started = folder / f"started-{count}"
        write_project(project, count, workflow=f"command: {{run: [tee, -a, {started}]}}")
        measured[count] = run_watched(binaries, project, started)
        shutil.rmtree(project)

    few_s, many_s = (measured[count]["seconds"] / count for count in (few, many))
    yield once("cost of a case", many_s / few_s, "times that of 1,000", "at most 1.2", 1.2)
    yield once("peak memory", measured[many]["peak_mib"], "MiB", "under 300", 300)
    yield once("first case started after", measured[many]["first_s"], "s", "under 1", 1)
    yield once("first of 1,000 cases started after", measured[few]["first_s"], "s", "under 1", 1)


def once(title, value, unit, aim, most):
    return Value(title, lambda: value, unit, aim, lambda taken: taken <= most)


def run_watched(binaries, project, started):
    """Runs every case and says how long that took, the most memory it held, and when the first workflow started."""
    begun, begun_wall = time.perf_counter(), time.time()
    command = [binaries / "holdpoint", "--project", project, "--quiet", "run", "--all"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    first = None
    while first is None and process.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            first = started.stat().st_ctime and time.time() - begun_wall
        time.sleep(0.001)
    # `wait4` says what this one child used, unlike `getrusage`, whose figure is the largest of all children.
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"the run ended with {process.returncode}"
    return {"seconds": time.perf_counter() - begun, "peak_mib": used.ru_maxrss / 1024, "first_s": first}


def holdpoint(binaries, project, *arguments):
    return run([binaries / "holdpoint", "--project", project, "--quiet", *arguments])


def write_practice_project(folder, cases):
    """The repository's own practice workflows, and so many cases of one that stages a proposal once."""
    folder.mkdir()
    for name in ("manifests", "practice"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "holdpoint.yaml", folder)
    for number in range(cases):
        path = folder / "cases" / "duplicate" / f"{number // 1000:02}" / f"case-{number:05}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"id: case-{number:05}\ntitle: A staging is committed once\nworkflow: mesa\n"
            f"input: {{operation: op-{number}, question: What is the callout fee?, approved_by: rosa}}\n"
            f"expect:\n  - outcome: {{operation: op-{number}, is: committed}}\n"
            f"  - effects: {{probe: review_queue, where: {{operation: op-{number}}}, count: 1}}\n"
        )


@contextlib.contextmanager
def slow_service(delay):
    """A service on loopback that answers every call after `delay` seconds with what it was asked."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    where = {}

    async def answer(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = next(int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:"))
                body = await reader.readexactly(length)
                await asyncio.sleep(delay)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
                writer.write(b"content-length: %d\r\n\r\n%b" % (length, body))
        writer.close()

    async def serve():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        where["url"] = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
        ready.set()

    def run_loop():
        loop.run_until_complete(serve())
        loop.run_forever()

    threading.Thread(target=run_loop, daemon=True).start()
    ready.wait()
    yield where["url"]
    loop.call_soon_threadsafe(loop.stop)
