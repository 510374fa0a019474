"""Attacks by HTTP: on the page's port, on the metrics' port and on the Unix socket."""

import concurrent.futures
import contextlib
import itertools
import json
import pathlib
import random
import re
import socket
import sqlite3
import time
import urllib.parse

import air
from attack import registry
from target import Failure, wait_for

ATTACKS, attack = registry()
API = (pathlib.Path(__file__).resolve().parents[2] / "docs/api.yaml").read_text(encoding="utf-8")


def routes():
    """Each path of docs/api.yaml with its methods and its query parameters."""
    found, path = {}, None
    for line in API.partition("\npaths:")[2].partition("\ncomponents:")[0].splitlines():
        if match := re.fullmatch(r"  (/\S*):", line):
            path = match[1]
            found[path] = (set(), set())
        elif match := re.fullmatch(r"    (get|post|delete|put|patch):", line):
            found[path][0].add(match[1].upper())
        elif match := re.fullmatch(r" +- name: (\S+)", line):
            parameter = match[1]
        elif re.fullmatch(r" +in: query", line):
            found[path][1].add(parameter)
    return found


def listeners(surface):
    """The ways to connect to each listener, with the header fields of a session if the listener needs one."""
    yield ("127.0.0.1", surface.page), {"Host": f"127.0.0.1:{surface.page}", **surface.login}
    yield ("127.0.0.1", surface.metrics), {"Host": f"127.0.0.1:{surface.metrics}"}
    yield surface.socket, {"Host": "okaeri"}


def connect(address, timeout=5, buffer=None):
    """A connection. `buffer`: the bytes of the receive buffer."""
    end = socket.socket(socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX)
    end.settimeout(timeout)
    if buffer:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    try:
        end.connect(address)
    except OSError:
        end.close()
        raise
    return end


def head(method, path, fields):
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape")


def status(address, request, timeout=5):
    """The status of the answer, or `None` if the connection was closed without one."""
    with contextlib.closing(connect(address, timeout)) as end:
        # The server may answer and close before it has read the whole request.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError, TimeoutError):
            end.sendall(request)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while b"\r\n" not in answer:
                piece = end.recv(4096)
                if not piece:
                    break
                answer += piece
        match = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
        return int(match[1]) if match else None


def expect(wanted, address, request, what):
    """Fails unless the answer has one of these statuses; `None` among them allows closing without an answer."""
    found = status(address, request)
    if found not in wanted:
        raise Failure(f"{what} is answered by {found}")


BODIES = {
    "a length of 2 GiB": ({"Content-Length": "2147483648"}, b"x" * 65536),
    "a length that is not one": ({"Content-Length": "9" * 30}, b"x" * 100),
    "a negative length": ({"Content-Length": "-1"}, b"x"),
    "a chunked body without end": ({"Transfer-Encoding": "chunked"}, b"10000\r\n" + b"x" * 65536 + b"\r\n"),
    "a chunk of 2^64 bytes": ({"Transfer-Encoding": "chunked"}, b"ffffffffffffffff\r\n" + b"x" * 1000),
    "a chunk size that is not one": ({"Transfer-Encoding": "chunked"}, b"-1\r\nx\r\n0\r\n\r\n"),
    "both lengths": ({"Content-Length": "4", "Transfer-Encoding": "chunked"}, b"0\r\n\r\n"),
    "deep JSON": ({"Content-Length": "900", "Content-Type": "application/json"}, b"[" * 900),
}


@attack()
def bodies(surface):
    """Every route with every kind of body by every method. The connections stay open."""
    held = []
    end = time.monotonic() + surface.seconds
    combinations = list(itertools.product(listeners(surface), routes(), ["GET", "POST", "DELETE", "PUT"], BODIES.values()))
    random.Random(1).shuffle(combinations)
    for (address, fields), path, method, (more, body) in combinations:
        if time.monotonic() > end:
            break
        path = path.replace("{day}", "2026-01-01.svg").replace("{id}", "1").replace("{name}", "attic")
        if path == "/v1/web/logout":
            continue
        try:
            connection = connect(address, 2)
            connection.sendall(head(method, path, {**fields, **more}) + body)
        except OSError:
            continue
        held.append(connection)
        if len(held) >= 60:
            held.pop(0).close()
    surface.held = held


@attack()
def unread_chunked_bodies(surface):
    """Event streams that are requested with a body of 0.5 MB, which the daemon does not read."""
    surface.held = []
    for address, fields in list(listeners(surface)) * 15:
        with contextlib.suppress(OSError):
            connection = connect(address, 1)
            surface.held.append(connection)
            connection.sendall(head("GET", "/v1/events", {**fields, "Transfer-Encoding": "chunked"}))
            for _ in range(8):
                connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")


@attack()
def upgrades(surface):
    """Requests that would switch to another protocol, and 20 MB of it, on every listener. The connections stay open."""
    surface.held = []
    other = {"Connection": "Upgrade", "Upgrade": "x"}
    requests = [("CONNECT", "evil.example:443", {}), ("GET", "/v1/health", other), ("GET", "/v1/events", other)]
    for (address, fields), (method, target, more) in itertools.product(listeners(surface), requests):
        with contextlib.suppress(OSError):
            end = connect(address, 2)
            surface.held.append(end)
            end.sendall(head(method, target, {**fields, **more}))
            for _ in range(320):
                end.sendall(b"x" * 65536)
    time.sleep(surface.seconds / 4)


TIMES = [
    "2262-04-11T23:47:16Z", "2262-04-11T23:47:17Z", "1677-09-21T00:12:43Z", "1677-09-21T00:12:44Z", "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:60Z", "99999999-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z",
    "2026-01-01T00:00:00.999999999999Z", "2026-01-01T00:00:00+99:99", "1970-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]
VALUES = TIMES + [
    "", "0", "-1", "1e309", "NaN", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "9" * 400, "home",
    "%00", "%", "%zz", "%ff%fe", "%0d%0aX: y", "%1b[2J", "家", "a" * 7000, "'; drop table events --", "../../etc/passwd",
    "{{7*7}}", "<script>", "true", "false", "[]", "7d", "999999999999d", "106751991167d", "1w", "-5h"]
DAYS = [time[:10] for time in TIMES] + ["2026-13-01", "2026-00-00", "0001-01-01", "292277026596-12-04", "today", "a" * 3000]


def check_queries(surface, seconds, logins):
    """Every query parameter, days, names and a few header fields, from a grammar. Fails at a status that is a fault."""
    chance = random.Random(3)
    end = time.monotonic() + seconds
    paths, count = list(routes().items()), 0
    while time.monotonic() < end:
        address, fields = chance.choice(logins)
        path, (methods, parameters) = chance.choice(paths)
        if "GET" not in methods or path == "/v1/events" and chance.random() < 0.8:
            continue
        path = path.replace("{day}", urllib.parse.quote(chance.choice(DAYS), safe="") + chance.choice([".svg", "", ".csv"]))
        query = {name: chance.choice(VALUES) for name in parameters if chance.random() < 0.8}
        if chance.random() < 0.2:
            query[chance.choice(["from", "to", "region", "after", "x"])] = chance.choice(VALUES)
        if query:
            path += "?" + "&".join(f"{name}={value if chance.random() < 0.5 else urllib.parse.quote(value)}"
                                   for name, value in query.items())
        path = path.encode("ascii", "ignore").decode().replace(" ", "+")
        more = {"Connection": "close"}
        if chance.random() < 0.3:
            more[chance.choice(["Last-Event-ID", "If-None-Match", "Range", "Accept", "Accept-Language", "Expect", "Upgrade",
                                "X-Forwarded-For", "If-Modified-Since"])] = chance.choice(VALUES).replace("\n", "")
        found = status(address, head("GET", path, {**fields, **more}))
        count += 1
        if found is None or found >= 500 and found not in (503, 505):
            raise Failure(f"GET {path[:200]} {more} is answered by {found}")
    if count < 20:
        raise Failure(f"only {count} requests were sent")


@attack()
def queries(surface):
    """Every query parameter and header field from a grammar, with a session."""
    check_queries(surface, surface.seconds, list(listeners(surface)))


@attack(is_open=True)
def queries_of_an_open_page(surface):
    """The same without a session, on a page that is open on the loopback address."""
    expected = "/v1/days/2262-04-11.svg?from=2262-04-11T23:47:16Z"
    host = {"Host": f"127.0.0.1:{surface.page}"}
    address = ("127.0.0.1", surface.page)
    expect({200, 400, 404, 503}, address, head("GET", expected, host), expected)
    check_queries(surface, surface.seconds, [(address, host)])
    for method in ["POST", "DELETE", "PUT"]:
        for path in routes():
            expect({400, 401, 403, 404, 405, 413}, address, head(method, path, {**host, "Content-Length": "0"}),
                   f"{method} {path} without a session")


@attack()
def hosts_and_targets(surface):
    """Forms of Host and of the request target: DNS rebinding, smuggling, traversal."""
    port = surface.page
    address, good = ("127.0.0.1", port), f"127.0.0.1:{port}"
    session = {"Cookie": surface.login["Cookie"]}
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "evil.localhost",
                 f"127.0.0.1:{port}@evil.example", f"evil.example#127.0.0.1:{port}", "", " ", "*",
                 "[::ffff:7f00:1].evil.example", "2130706434.example", "127.0.0.1\tevil",
                 "a" * 5000, "127.0.0.1,evil.example", "127.0.0.1 evil.example", "\u00ff"]:
        expect({400, 421, None}, address, head("GET", "/v1/status", {"Host": host, **session}), f"Host {host[:40]!r}")
    good_then_evil = f"GET /v1/status HTTP/1.1\r\nHost: {good}\r\nHost: evil.example\r\n"
    cookie = f"Cookie: {session['Cookie']}\r\n\r\n"
    expect({400, None}, address, (good_then_evil + cookie).encode(), "a second Host field")
    twice = f"GET /v1/status HTTP/1.1\r\nHost: {good}\r\nHost: {good}\r\n"
    expect({400, None}, address, (twice + cookie).encode(), "the same Host field twice")
    expect({400, 421, None}, address, head("GET", "http://evil.example/v1/status", {"Host": good, **session}),
           "a target with another authority")
    for target in ["//evil.example/v1/status", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/v1/../v1/status", "/.git/config",
                   "/v1/status%00.js", "\\..\\x", "/app.en.js/../../x", "*", "v1/status"]:
        expect({301, 400, 401, 404, 405, None}, address, head("GET", target, {"Host": good, **session}), f"the target {target!r}")
    for line in ["GET /v1/status HTTP/9.9", "GET /v1/status", "G\0T / HTTP/1.1", "PRI * HTTP/2.0",
                 "CONNECT evil.example:443 HTTP/1.1", "TRACE /v1/status HTTP/1.1", "OPTIONS * HTTP/1.1"]:
        request = f"{line}\r\nHost: {good}\r\n{cookie}"
        expect({400, 401, 403, 404, 405, 421, 501, 505, None}, address, request.encode(), f"{line!r}")
    both = head("POST", "/v1/prompts/1", {"Host": good, "Content-Length": "6", "Transfer-Encoding": "chunked"})
    expect({400, 401, 403, None}, address, both + b"0\r\n\r\nG", "both lengths")
    lone = f"GET /v1/status HTTP/1.1\nHost: {good}\nX: y\rZ: w\n\n"
    expect({200, 400, 401, None}, address, lone.encode(), "lone line feeds")


@attack()
def large_heads(surface):
    """Request lines, header fields and cookies that are too long or too many."""
    for (address, fields), request in itertools.product(listeners(surface), [
            {f"X-{number}": "y" for number in range(10_000)}, {"X": "y" * 1_000_000}, {"Cookie": "a=b; " * 50_000}]):
        expect({400, 413, 414, 431, None}, address, head("GET", "/v1/health", {**fields, **request}), "a large head")
    for address, fields in listeners(surface):
        expect({400, 404, 414, 431, None}, address, head("GET", "/" + "a" * 200_000, fields), "a long target")


@attack()
def forged_changes(surface):
    """Changes that do not come from the page."""
    address, host = ("127.0.0.1", surface.page), f"127.0.0.1:{surface.page}"
    cookie, token = surface.login["Cookie"], surface.login["X-Okaeri-Token"]
    forms = [
        {"Origin": "https://evil.example", "X-Okaeri-Token": token}, {"Origin": "null", "X-Okaeri-Token": token},
        {"Origin": f"http://{host}"}, {"Origin": f"http://{host}", "X-Okaeri-Token": token[:-1] + "_"},
        {"Origin": f"http://{host}", "X-Okaeri-Token": ""}, {"Sec-Fetch-Site": "cross-site", "X-Okaeri-Token": token},
        {"Origin": f"http://{host}", "Sec-Fetch-Site": "same-site", "X-Okaeri-Token": token}, {}]
    for form, kind in itertools.product(forms, ["application/json", "text/plain", "application/x-www-form-urlencoded"]):
        fields = {"Host": host, "Cookie": cookie, "Content-Type": kind, "Content-Length": "17", **form}
        for path in ["/v1/prompts/1", "/v1/configuration/region", "/v1/configuration/room",
                     "/v1/configuration/receivers", "/v1/web/links"]:
            expect({400, 401, 403, 404, 415}, address, head("POST", path, fields) + b'{"answer":"join"}', f"{path} with {form}")


@attack()
def tossed_cookies(surface):
    """Fifty cookies of the session's name before the real one."""
    name, _, value = surface.login["Cookie"].partition("=")
    tossed = "; ".join([f"{name}={'A' * len(value)}"] * 50 + [f"{name}={value}"])
    fields = {"Host": f"127.0.0.1:{surface.page}", "Cookie": tossed}
    expect({200}, ("127.0.0.1", surface.page), head("GET", "/v1/status", fields), "a session behind fifty false cookies")


@attack()
def wrong_links(surface):
    """Logins with wrong links from many connections; a correct link of the same address still counts."""
    host = f"127.0.0.1:{surface.page}"

    def try_one(number):
        body = json.dumps({"token": f"{number:043}", "name": "x"}).encode()
        fields = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json", "Content-Length": len(body)}
        with contextlib.suppress(OSError):
            return status(("127.0.0.1", surface.page), head("POST", "/v1/web/login", fields) + body, 20)

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        pending = [pool.submit(try_one, number) for number in range(200)]
        time.sleep(1)
        began = time.monotonic()
        surface.target.log_in(source="127.0.0.1")
        if time.monotonic() - began > 10:
            raise Failure(f"a correct link waits {time.monotonic() - began:.0f} s")
        for one in pending:
            one.cancel()
        found = {one.result() for one in pending if not one.cancelled()}
    if 200 in found:
        raise Failure("a wrong link is accepted")


@attack(holds=False)
def connections(surface):
    """10,000 connections to the page and the metrics, as many at a time as they accept."""
    for port in [surface.page, surface.metrics]:
        for _ in range(5):
            held = []
            for _ in range(1000):
                try:
                    held.append(connect(("127.0.0.1", port), 0.5))
                except OSError:
                    break
            time.sleep(surface.seconds / 20)
            for end in held:
                end.close()


@attack()
def idle_connections(surface):
    """Connections from one address that send one request and stay, more than the limits allow."""
    surface.held = []
    for port in [surface.page, surface.metrics]:
        try:
            for _ in range(700):
                end = connect(("127.0.0.1", port), 0.5)
                surface.held.append(end)
                end.sendall(head("GET", "/v1/health", {"Host": f"127.0.0.1:{port}"}))
        except OSError:
            continue
    time.sleep(surface.seconds / 2)


@attack()
def slow_writers(surface):
    """Requests that arrive byte by byte, on every listener."""
    surface.held = []
    pieces = []
    for address, fields in list(listeners(surface)) * 40:
        with contextlib.suppress(OSError):
            end = connect(address, 1)
            surface.held.append(end)
            body = {"Content-Length": "1000", "Content-Type": "application/json"}
            pieces.append((end, iter(head("POST", "/v1/prompts/1", {**fields, **body}) + b"x" * 1000)))
    until = time.monotonic() + surface.seconds
    while time.monotonic() < until:
        for end, rest in pieces:
            with contextlib.suppress(OSError, StopIteration):
                end.send(bytes([next(rest)]))
        time.sleep(0.05)


@attack(source=air.minors, ranging=True)
def slow_readers(surface):
    """Answers and event streams that are requested again and again and never read."""
    ask_and_never_read(surface, ["/v1/events", "/v1/history", "/v1/status", "/app.en.js"])


@attack(source=air.minors, ranging=True)
def slow_readers_of_lists(surface):
    """The same for the largest answers."""
    ask_and_never_read(surface, ["/v1/beacons", "/metrics"])


def fill_yesterday(target):
    """Records a day of 60 regions, each with a change and a signal every minute, and returns its date."""
    regions = [f"region {number}" for number in range(60)]
    date = time.strftime("%Y-%m-%d", time.localtime(time.time() - 86400))
    midnight = int(time.mktime(time.strptime(date, "%Y-%m-%d"))) * 10**9
    states = [json.dumps({"state": state}) for state in ("inside", "outside")]
    with contextlib.closing(sqlite3.connect(target.folder / "state/history.sqlite", timeout=30)) as history, history:
        run = history.execute("SELECT max(id) FROM runs").fetchone()[0]
        times = [(midnight + minute * 60 * 10**9, minute) for minute in range(1440)]
        history.executemany(
            "INSERT INTO events (run, time, name, region, json) VALUES (?, ?, 'didDetermineState', ?, ?)",
            ((run, moment, region, states[minute % 2]) for moment, minute in times for region in regions))
        history.executemany(
            "INSERT INTO minutes VALUES (?, ?, 60, 60, -60.5, -70, -50, 1.5)",
            ((moment, region) for moment, _ in times for region in regions))
    return date


@attack(memory=48 * 1024)
def unread_pictures(surface):
    """24 requests for the picture of a large day that are not read. Afterwards the daemon returns the memory."""
    target, ends = surface.target, []
    wait_for("the history", 20, lambda: target.local("/v1/history?from=1970-01-01T00:00:00Z&to=2200-01-01T00:00:00Z")[0] == 200)
    date = fill_yesterday(target)
    address, fields = next(listeners(surface))
    for _ in range(24):
        ends.append(connect(address, 90, buffer=2048))
        ends[-1].sendall(head("GET", f"/v1/days/{date}.svg", fields))
    found = [end.recv(12, socket.MSG_PEEK).decode() for end in ends]
    if not all(any(line.endswith(code) for line in found) for code in ("200", "503")):
        raise Failure(f"the pictures are answered by {sorted(set(found))}")
    for end in ends:
        end.close()
    wait_for("the return of the memory", 20, lambda: target.memory < 12 * 1024)


@attack(silent_servers=7)
def silent_servers(surface):
    """Seven servers of `notify` that do not answer. The eighth one is notified at once."""
    def reports():
        return json.loads(surface.target.local("/v1/status?beacons=false")[1])["notifications"]

    wait_for("the notification of the server that answers", 5, lambda: reports()[-1]["sent"] > 0)
    if any(report["sent"] or not report["waiting"] for report in reports()[:-1]):
        raise Failure(f"the servers that do not answer have {reports()}")


def ask_and_never_read(surface, paths):
    surface.held = []
    for (address, fields), path in itertools.product(list(listeners(surface)) * 4, paths):
        with contextlib.suppress(OSError):
            end = connect(address, 0.2, buffer=2048)
            surface.held.append(end)
            end.sendall(head("GET", path, fields) * (1 if path == "/v1/events" else 300))
    time.sleep(surface.seconds)


@attack()
def pipelined_requests(surface):
    """27,941 requests on one connection whose answers are never read, on every listener."""
    surface.held = []
    for address, fields in listeners(surface):
        request = head("GET", "/v1/health", fields)
        with contextlib.suppress(OSError):
            end = connect(address, 2, buffer=2048)
            surface.held.append(end)
            end.sendall(request * 27_941)
    time.sleep(surface.seconds / 4)
