"""Chromium without a window, driven by chromedriver over the W3C WebDriver protocol."""

import base64
import json
import subprocess
import tempfile
import urllib.request


class Browser:
    """One browser on one page; ends with the `with` block."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        told = "started successfully on port "
        line = next(line for line in self.driver.stdout if told in line)
        self.base = f"http://127.0.0.1:{line.split(told)[1].strip().rstrip('.')}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.folder.name}"]
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}}
        self.base += "/" + self.send("POST", "", wanted)["sessionId"]
        return self

    def __exit__(self, *_):
        self.send("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
        self.folder.cleanup()

    def visit(self, address):
        """Goes there anew, and comes back once the page has loaded."""
        self.send("POST", "/url", {"url": "about:blank"})
        self.send("POST", "/url", {"url": address})

    def run(self, body):
        """What the body of a function in JavaScript returns; a promise is waited for."""
        return self.send("POST", "/execute/sync", {"script": body, "args": []})

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.send("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def picture(self, selector, margin):
        """The bytes of a PNG of an element, with so many pixels around it."""
        box = self.run(
            f"const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            "return [box.left + scrollX, box.top + scrollY, box.width, box.height];"
        )
        left, top, width, height = box
        clip = {"x": left - margin, "y": top - margin, "width": width + 2 * margin, "height": height + 2 * margin}
        shot = self.command("Page.captureScreenshot", clip={**clip, "scale": 1}, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["value"]
