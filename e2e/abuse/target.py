"""The daemon under attack, and its measurements."""

import http.client
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import threading
import time

import air

# The budget during every attack. The times grow with the load of the machine, see `Watch.pace`.
MOST_MEMORY = 24 * 1024  # KiB of RssAnon
SLOWEST_ANSWER = 1.0
SLOWEST_STOP = 5.0

# Attacks come from 127.0.0.1. The user has another address, as in a real network.
OWNER = "127.0.0.2"
UUID = air.UUID.hex()


class Failure(Exception):
    """An expectation that was not met."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, within, condition):
    end = time.monotonic() + within
    while True:
        try:
            found = condition()
        except (OSError, http.client.HTTPException):
            found = None
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {within} s")
        time.sleep(0.05)


def answer(server):
    """Answers each request at a listening socket."""
    while True:
        end = server.accept()[0]
        with end:
            end.recv(65536)
            end.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("okaeri", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Target:
    """`okaeri monitor` on a live capture, with a page, metrics and, if `broker` is a port, a broker: a hub or a receiver."""

    def __init__(
            self, program, folder, source=air.quiet, is_open=False, ranging=False, broker=None, reads_output=True,
            is_receiver=False, has_phone=False, silent_servers=0):
        self.program, self.folder = program, pathlib.Path(folder)
        self.page, self.metrics = free_port(), free_port()
        self.socket = str(self.folder / "okaeri.sock")
        region = {"identifier": "home", "uuid": UUID, "ranging": ranging, "wifi": {"ssid": "HomeNet"}}
        configuration = {
            "regions": [region], "metrics": {"listen": f"127.0.0.1:{self.metrics}"},
            "web": {"listen": f"127.0.0.1:{self.page}", **({"open": True} if is_open else {})}}
        if broker:
            configuration |= {"mqtt": {"host": "127.0.0.1", "port": broker}, "node": {"name": "hall", "room": "hall"}}
        if is_receiver:
            configuration["receiver"] = True
        if has_phone:
            key = self.folder / "anna.irk"
            key.write_text(air.KEY, encoding="ascii")
            key.chmod(0o600)
            configuration["regions"].append({"identifier": "anna", "phone": str(key)})
        if silent_servers:
            # The kernel accepts their connections. The last server answers.
            self.servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(silent_servers + 1)]
            threading.Thread(target=answer, args=(self.servers[-1],), daemon=True).start()
            configuration["notify"] = [
                {"type": "webhook", "url": f"http://127.0.0.1:{server.getsockname()[1]}/"} for server in self.servers]
        file = self.folder / "beacons.json"
        file.write_text(json.dumps(configuration), encoding="utf-8")
        file.chmod(0o600)
        with open(self.folder / "okaeri.out", "wb") as out, open(self.folder / "okaeri.err", "wb") as errors:
            self.process = subprocess.Popen(
                [program, "monitor", "--capture", "-", "--config", file, "--socket", self.socket, "--state-dir",
                 self.folder / "state", "--wifi", "simulated"],
                stdin=subprocess.PIPE, stdout=out if reads_output else subprocess.PIPE, stderr=errors)
        self.air = threading.Thread(target=air.play, args=(source, self.process.stdin), daemon=True)
        self.air.start()
        try:
            wait_for("the first status", 30, lambda: self.local("/v1/status")[0] == 200)
            wait_for("the page", 10, lambda: self.remote(self.page, "/")[0] == 200)
        except BaseException:
            self.process.kill()
            raise

    def local(self, path, method="GET", body=None, timeout=10):
        """The status and the body of an answer over the Unix socket."""
        connection = UnixConnection(self.socket, timeout)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def remote(self, port, path, method="GET", body=None, headers=None, source=OWNER, timeout=10):
        """The status, the header fields and the body of an answer over TCP."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout, (source, 0))
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def link(self):
        """The token of a new login link."""
        return json.loads(self.local("/v1/web/links", "POST", "{}")[1])["token"]

    def log_in(self, token=None, source=OWNER):
        """The header fields of a browser with a session."""
        origin = f"http://127.0.0.1:{self.page}"
        body = json.dumps({"token": token or self.link(), "name": "abuse"})
        status, fields, text = self.remote(self.page, "/v1/web/login", "POST", body, {"Origin": origin}, source)
        if status != 200:
            raise Failure(f"a login with a correct link is answered by {status}: {text[:200]!r}")
        return {"Origin": origin, "Cookie": fields["set-cookie"].split(";")[0], "X-Okaeri-Token": json.loads(text)["csrf"]}

    @property
    def memory(self):
        """RssAnon in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self, within):
        """Sends SIGTERM and returns the seconds until the process ended."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise Failure(f"it runs {within:.0f} s after SIGTERM") from None
        if self.process.returncode != 0:
            raise Failure(f"it ended with {self.process.returncode}")
        return time.monotonic() - began

    def kill(self):
        self.process.kill()
        self.process.wait()


class Watch(threading.Thread):
    """Measures memory, descriptors and the time of answers to the command line and to the user's browser."""

    def __init__(self, target, most_memory=MOST_MEMORY):
        super().__init__(daemon=True)
        self.target, self.ended, self.most_memory = target, threading.Event(), most_memory
        self.login = target.log_in()
        self.memory = self.descriptors = 0
        self.answers, self.failures, self.paces = [], [], []

    @property
    def pace(self):
        """The factor by which this machine is slower than an idle one: the time per processor time of a short loop."""
        return max(1.0, statistics.mean(self.paces)) if self.paces else 1.0

    def run(self):
        while not self.ended.wait(0.2):
            began, used = time.monotonic(), time.thread_time()
            while time.thread_time() - used < 0.004:
                pass
            self.paces.append((time.monotonic() - began) / 0.004)
            try:
                self.memory = max(self.memory, self.target.memory)
                self.descriptors = max(self.descriptors, self.target.descriptors)
            except (OSError, StopIteration):
                break
            self.ask("okaeri status", lambda: self.target.local("/v1/status?beacons=false")[0])
            self.ask("the page", lambda: self.target.remote(self.target.page, "/v1/regions", headers=self.login)[0])
            self.ask("the metrics", lambda: self.target.remote(self.target.metrics, "/metrics")[0])

    def ask(self, what, request):
        began = time.monotonic()
        try:
            status = request()
        except (OSError, http.client.HTTPException) as error:
            status = f"{type(error).__name__} {error}"
        self.answers.append((time.monotonic() - began, what))
        if status != 200 and not self.ended.is_set():
            self.failures.append(f"{what} is answered by {status}")

    def finish(self):
        """Ends the measurement, and returns a sentence for each part of the budget that was exceeded."""
        self.ended.set()
        self.join(15)
        complaints = self.failures[:2]
        if self.memory > self.most_memory:
            complaints.append(f"{self.memory} KiB of RssAnon")
        slowest = max(self.answers, default=(0, ""))
        if slowest[0] > SLOWEST_ANSWER * self.pace:
            complaints.append(f"{slowest[1]} took {slowest[0]:.1f} s")
        if not self.answers:
            complaints.append("no answer within 15 s")
        return complaints

    @property
    def figures(self):
        slowest = max(self.answers, default=(0, ""))[0]
        return f"{self.memory / 1024:5.1f} MB  {self.descriptors:4} descriptors  slowest answer {slowest:.2f} s"
