"""Drives a Chromium by its driver (W3C WebDriver, and the DevTools commands that Chromium's driver adds)."""

import base64
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"tab": "\ue004", "enter": "\ue007", "escape": "\ue00c", "space": " ", "left": "\ue012", "right": "\ue014"}


class Failure(Exception):
    """An error of the driver."""


class Browser:
    """A new browser without cookies.

    language: its preferred language, such as "ja".
    log: a log of the driver beside the console's, such as "performance".
    """

    def __init__(self, language="en", log=None):
        # Another time zone than the daemon's: the page uses the daemon's.
        environment = {**os.environ, "LANGUAGE": language, "TZ": "Pacific/Auckland"}
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True, env=environment)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.address = f"http://127.0.0.1:{line.strip().rstrip('.').split()[-1]}"
                break
        arguments = [
            "--headless=new",
            f"--lang={language}",
            f"--accept-lang={language}",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
        ]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", **({log: "ALL"} if log else {})},
        }
        self.session = ""
        self.session = (
            "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        )

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.address + self.session + path, method=method, data=None if body is None else json.dumps(body).encode()
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(json.load(error)["value"]["message"].splitlines()[0]) from None

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    @property
    def url(self):
        return self.ask("GET", "/url")

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """Runs a script whose last argument receives its result."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def developer(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.until(f"{selector} to click on", "return document.querySelector(arguments[0])", selector)
        self.ask("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        element = self.find(selector)
        self.ask("POST", f"/element/{element}/clear", {})
        self.ask("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys):
        """Sends keys to the element with the focus."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def drag(self, selector, begin, end):
        """Drags with the mouse from one part of an element's width to another."""
        box = self.run(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [box.left, box.top, box.width, box.height]",
            selector,
        )
        left, top, width, height = box
        points = [(int(left + width * part), int(top + height / 2)) for part in (begin, (begin + end) / 2, end)]
        moves = [{"type": "pointerMove", "duration": 50, "x": x, "y": y} for x, y in points]
        actions = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def until(self, what, script, *arguments, within=10):
        """Waits for the result of the script; `what` is the error if it does not come."""
        end = time.monotonic() + within
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {within} s; the page says:\n{self.text()}")
            time.sleep(0.05)
        return value

    def console(self):
        """Returns the new messages of the console and of the content security policy."""
        return [f"{entry['level']} {entry['message']}" for entry in self.log("browser")]

    def log(self, kind):
        """Returns the new entries of a log."""
        return self.ask("POST", "/se/log", {"type": kind})

    def look(self, width, theme, scale=2):
        """Sets the width of the screen in pixels, and the theme; the pixels of a phone are `scale` times as many."""
        self.developer(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=780 if width < 600 else 900,
            deviceScaleFactor=scale if width < 600 else 1,
            mobile=width < 600,
        )
        self.developer(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": theme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )

    def sleep(self):
        """Freezes the page, as a phone in a pocket does: no script runs."""
        self.developer("Page.setWebLifecycleState", state="frozen")

    def wake(self):
        self.developer("Page.setWebLifecycleState", state="active")
        # The page becomes visible again after another one was visible.
        here = self.ask("GET", "/window")
        other = self.ask("POST", "/window/new", {"type": "tab"})["handle"]
        self.ask("POST", "/window", {"handle": other})
        self.ask("DELETE", "/window")
        self.ask("POST", "/window", {"handle": here})

    def screenshot(self, file, height=None):
        """Takes a picture of the whole page, however long, or of so many pixels from its top: a PNG, or a WebP by the file's name."""
        size = self.developer("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
        form = {"format": "webp", "quality": 60} if file.suffix == ".webp" else {"format": "png"}
        image = self.developer("Page.captureScreenshot", **form, captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(image["data"]))
