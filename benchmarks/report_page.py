"""How soon a large report can be used, in a real browser."""

import subprocess
import time

from browser import Browser
from harness import Value, build, figure, write_project

# Until the next picture stands on the screen.
SHOWN = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"

# Seconds until what is typed shows, in a page that was filtered by nothing yet.
FILTER = f"""
return (async () => {{
  const begun = performance.now();
  const field = document.querySelector(".filter input");
  field.value = "case-07777";
  field.dispatchEvent(new Event("input"));
  {SHOWN}
  const shown = Array.from(document.querySelectorAll(".case")).filter((one) => one.checkVisibility()).length;
  return [(performance.now() - begun) / 1000, shown];
}})();
"""

# Seconds until the case of an address shows.
JUMP = f"""
return (async () => {{
  const begun = performance.now();
  location.hash = "#case=case-09998";
  await new Promise((done) => addEventListener("hashchange", done, {{ once: true }}));
  {SHOWN}
  const box = document.getElementById("case=case-09998").getBoundingClientRect();
  return [(performance.now() - begun) / 1000, box.top >= 0 && box.top < innerHeight];
}})();
"""


@figure
def report(folder):
    """The page of 10,000 cases, 50 of which fail: its size, and how soon it can be used in Chromium."""
    count, failing = 10_000, 50
    binary = build("--bin", "holdpoint") / "holdpoint"
    project = folder / "project"
    write_project(project, count)
    for number in range(failing):
        path = project / "cases" / "policy_accuracy" / "00" / f"case-{number:05}.yaml"
        path.write_text(path.read_text().replace("contains: Tuesday at ten", "contains: Friday at noon"))
    ran = subprocess.run([binary, "--project", project, "--quiet", "run", "--all"], stdout=subprocess.PIPE, text=True)
    assert ran.returncode == 10 and f"{count - failing} of {count} cases passed" in ran.stdout, ran.stdout[-500:]
    page = project / "reports" / "latest" / "report.html"

    def size():
        return page.stat().st_size / 1e6

    def usable():
        """Opens it, filters, and jumps to a case: the seconds of each."""
        with Browser() as browser:
            browser.visit("about:blank")
            begun = time.perf_counter()
            browser.visit(page.as_uri())
            opened = time.perf_counter() - begun
            filtered, shown = browser.run(FILTER)
            assert shown == 1, f"{shown} cases shown"
            jumped, in_sight = browser.run(JUMP)
            assert in_sight, "the case is not in sight"
            return opened, filtered, jumped

    def soon(title, take):
        return Value(title, take, "s", "2", lambda value: value < 2)

    yield Value("size of the page", size, "MB", "8", lambda value: value < 8)
    yield soon("until it is of use: opened, filtered and at a case", lambda: sum(usable()))
    for index, title in enumerate(["of these, to open it", "to filter it for the first time", "to jump to a case"]):
        yield soon(title, lambda index=index: usable()[index])
