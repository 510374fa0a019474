"""The output of the walk, and the events of the daemon's socket."""

import http.client
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def made(walk, name, script="app.en"):
    """Returns an expression of a script of the page that makes another instance of a module; `modules` has the others."""
    with urllib.request.urlopen(f"{walk.base}/{script}.js") as response:
        text = response.read().decode()
    return re.search(rf"^modules\.{name} = (.*?^\}}\)\(\))$", text, re.MULTILINE | re.DOTALL)[1]


class Events(threading.Thread):
    """The lines of the daemon's socket, with the time at which they were read."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("localhost")
        self.connection.sock = socket.socket(socket.AF_UNIX)
        self.connection.sock.connect(path)
        self.connection.request("GET", "/v1/events")
        self.response = self.connection.getresponse()
        self.seen = []
        self.start()

    def run(self):
        while line := self.response.readline():
            if line.startswith(b"data:"):
                self.seen.append((time.time() * 1000, json.loads(line[5:])))

    def next(self, kinds, after, within=40):
        """Returns the first event of these kinds after so many events."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            for heard, event in self.seen[after:]:
                if event["event"] in kinds and event.get("region") == "home":
                    return heard, event
            time.sleep(0.01)
        raise AssertionError(f"no {kinds} within {within} s")


def status_of(base, path, method="GET", **headers):
    request = urllib.request.Request(
        base + path, method=method, headers=headers, data=b"{}" if method == "POST" else None
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
