"""A Home Assistant with its Supervisor, as far as an app sees them: the API of the Supervisor, and the two proxies of ingress.

The Supervisor is at 172.30.32.2, and connects to the app from there. Home Assistant is at 172.30.32.1:8123; the sites of other programs
are on other ports. A browser logs in at /login/USER, and is sent on to the page of the app.
"""

import contextlib
import gzip
import http.client
import http.server
import json
import secrets
import socketserver
import threading
import time
import urllib.parse
import zlib

GATEWAY, SUPERVISOR = "172.30.32.1", "172.30.32.2"
FRONT, OTHER = 8123, 8124
USERS = {
    "anna": ("4f1c0ffee0ddba11", "anna", "アンナ"), "bert": ("5f1c0ffee0ddba11", "bert", "anna"), "nameless": None}
# Fields that each proxy sends by its own rules.
HOPS = {"connection", "content-length", "content-encoding", "transfer-encoding", "keep-alive"}
NAMED = {"x-remote-user-id", "x-remote-user-name", "x-remote-user-display-name", "x-hass-source", "x-ingress-path"}
WHOLE = 4_194_000


# Useless answers of the Supervisor: the status and the body. None is an end of the connection, and a number a silence in seconds.
STARTING = (400, json.dumps({"result": "error", "message": "System is not ready with state: startup"}).encode())
FAULTS = {
    "starting": STARTING, "HTML": (500, b"<html>500 Internal Server Error"), "empty": (200, b""),
    "no end": (200, b'{"result": "ok", "data": {'), "a list": (200, b'{"result": "ok", "data": []}'), "no object": (200, b'"ok"'),
    "huge": (200, b'{"result": "ok", "data": {"host": "' + b"x" * 2_000_000),
    "not enabled with another status": (500, b'{"result": "error", "message": "Service not enabled"}'),
    "forged line": (400, '{"result": "error", "message": "x\\nokaeri: forged\\u001b[31m\u202e\u0085"}'.encode()),
    "closed": None, "silent": 15,
}


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    house = None

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **fields):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class API(Handler):
    """The Supervisor's API for apps."""

    def do_GET(self):
        house = self.house
        if self.headers["Authorization"] != f"Bearer {house.token}":
            return self.answer(403, json.dumps({"result": "error", "message": "Forbidden"}).encode())
        faults = house.faults.get(self.path)
        if faults:
            return self.fail(faults.pop())
        data = None
        if self.path == "/addons/self/info":
            data = {"slug": "local_okaeri", "ip_address": GATEWAY, "ingress_port": house.port, "options": {}}
        elif self.path == "/services/mqtt":
            data = house.broker
        if data is None:
            return self.answer(400, json.dumps({"result": "error", "message": "Service not enabled"}).encode())
        self.answer(200, json.dumps({"result": "ok", "data": data}).encode())

    def fail(self, fault):
        self.close_connection = True
        if not isinstance(fault, tuple):
            return time.sleep(fault or 0)
        # The app closes the connection at an answer that is too large.
        with contextlib.suppress(OSError):
            self.answer(*fault)


class Front(Handler):
    """Home Assistant, which passes requests on to the Supervisor, which passes them on to the app."""

    def do_GET(self):
        house = self.house
        path = self.path.partition("?")[0]
        if path.startswith(house.prefix):
            return self.pass_on()
        if path.startswith("/login/"):
            session = secrets.token_hex(32)
            house.sessions[session] = USERS[path.removeprefix("/login/")]
            cookie = f"ingress_session={session}; Path=/api/hassio_ingress/; SameSite=Strict"
            return self.answer(302, Location=house.prefix, Set_Cookie=cookie)
        if path == "/frame":
            page = f'<!doctype html><title>Home Assistant</title><iframe src="http://{GATEWAY}:{FRONT}{house.prefix}"></iframe>'
            return self.answer(200, page.encode(), "text/html")
        # The browser asks each site for an icon.
        self.answer(204 if path == "/favicon.ico" else 404)

    do_POST = do_DELETE = do_HEAD = do_PUT = do_OPTIONS = do_GET

    def pass_on(self):
        house = self.house
        cookies = dict(one.strip().partition("=")[::2] for one in self.headers.get("Cookie", "").split(";"))
        session = cookies.get("ingress_session")
        if session not in house.sessions:
            return self.answer(401, b"401: Unauthorized", "text/plain")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fields = [
            (name, value.encode("latin-1")) for name, value in self.headers.items()
            if name.lower() not in HOPS | NAMED | {"accept-encoding"}
        ]
        fields += [
            ("X-Ingress-Path", house.prefix.rstrip("/")), ("Accept-Encoding", "gzip, deflate"), ("X-Hass-Source", "core.ingress"),
            ("X-Forwarded-For", f"{self.client_address[0]}, {GATEWAY}"), ("X-Forwarded-Host", self.headers["Host"]),
            ("X-Forwarded-Proto", "http"),
        ]
        if user := house.sessions[session]:
            names = ("X-Remote-User-Id", "X-Remote-User-Name", "X-Remote-User-Display-Name")
            fields += [(name, value.encode()) for name, value in zip(names, user)]
        # As the Supervisor writes an address: the path without its percent encoding, and with that of a client.
        path, mark, query = self.path.removeprefix(house.prefix).partition("?")
        path = urllib.parse.quote(urllib.parse.unquote(path), safe="/:@!$&'()*+,;=~")
        app = http.client.HTTPConnection(GATEWAY, house.port, timeout=60, source_address=(SUPERVISOR, 0))
        try:
            app.putrequest(self.command, f"/{path}{mark}{query}", skip_host=True, skip_accept_encoding=True)
            for name, value in fields:
                app.putheader(name, value)
            app.putheader("Content-Length", str(len(body)))
            app.endheaders(body)
            result = app.getresponse()
        except OSError:
            app.close()
            return self.answer(502, b"502: Bad Gateway", "text/plain")
        try:
            self.return_answer(result, path)
        except OSError:
            # The browser has left, or the app has ended in the midst of an answer.
            self.close_connection = True
        finally:
            app.close()

    def return_answer(self, result, path):
        house = self.house
        house.answers.append((self.command, path, self.headers.get("Origin"), result.status))
        kind = result.headers.get("Content-Type", "application/octet-stream").partition(";")[0]
        fields = [(name, value) for name, value in result.headers.items() if name.lower() not in HOPS | {"content-type"}]
        isPacked = result.headers.get("Content-Encoding") == "gzip"
        length = result.headers.get("Content-Length")
        isEmpty = self.command == "HEAD" or result.status in (204, 304)
        if isEmpty or length is not None and int(length) < WHOLE:
            body = result.read()
            body = gzip.decompress(body) if isPacked and body else body
            return self.finish_answer(result.status, kind, fields, body)
        self.send_response(result.status)
        for name, value in [*fields, ("Content-Type", kind), ("Transfer-Encoding", "chunked"), ("X-Accel-Buffering", "no")]:
            self.send_header(name, value)
        self.end_headers()
        unpacker = zlib.decompressobj(wbits=31) if isPacked else None
        while part := result.read1(65536):
            part = unpacker.decompress(part) if unpacker else part
            if part:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def finish_answer(self, status, kind, fields, body):
        packs = not kind.startswith("image/png") and len(body) > 1000 and "gzip" in self.headers.get("Accept-Encoding", "")
        body = gzip.compress(body) if packs else body
        self.send_response(status)
        for name, value in [*fields, ("Content-Type", kind), *([("Content-Encoding", "gzip")] if packs else [])]:
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class House:
    """The servers. `port`: the port at which the app is to serve its page; `broker`: the answer about the broker."""

    def __init__(self, port, broker):
        self.port, self.broker = port, broker
        self.token = secrets.token_hex(28)
        self.prefix = f"/api/hassio_ingress/{secrets.token_urlsafe(32)}/"
        self.sessions = {}
        # The faults of the next answers by their path, the last one first.
        self.faults = {}
        # The method, the path, the origin and the status of each request that the app has answered.
        self.answers = []
        for address, handler in (((SUPERVISOR, 80), API), ((GATEWAY, FRONT), Front), ((GATEWAY, OTHER), Front)):
            server = Server(address, type(handler.__name__, (handler,), {"house": self}))
            threading.Thread(target=server.serve_forever, daemon=True).start()
