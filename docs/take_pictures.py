"""Takes the pictures of README: parts of a reference report, in light and in dark.

usage: take_pictures.py REPORT FOLDER
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))

from browser import Browser  # noqa: E402

# Each picture by the element that it shows.
PICTURES = {
    "verdict": "#verdict",
    "case": "#regressions .case",
    "operation": "#uncertain .operation",
}


def main(report, folder):
    with Browser() as browser:
        browser.command("Emulation.setDeviceMetricsOverride", width=1080, height=900, deviceScaleFactor=1, mobile=False)
        for scheme in ["light", "dark"]:
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.command("Emulation.setEmulatedMedia", features=features)
            browser.visit(pathlib.Path(report).resolve().as_uri())
            for name, selector in PICTURES.items():
                file = pathlib.Path(folder) / f"{name}-{scheme}.png"
                file.write_bytes(browser.picture(selector, margin=16))
                # Text has few colours: a palette of them takes a third of the bytes.
                palette = ["pngquant", "--force", "--strip", "--output", file, "128", file]
                subprocess.run(palette, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
