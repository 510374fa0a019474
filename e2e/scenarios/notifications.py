"""Notifications of a server on this machine: a webhook that fails at first, and a prompt that is answered by its link."""

import http.client
import http.server
import json
import threading
import urllib.parse

from lab import wifi
from lab.controller import Controller
from lab.daemon import PROGRAM, Daemon, region
from lab.processes import finish, run
from lab.registry import scenario
from lab.waiting import check, wait_for

SECRET = "/hooks/T3st-Secret"
TOKEN = "bearer-0123456789abcdef"


class Webhook(http.server.ThreadingHTTPServer):
    """A server that refuses its first request, and keeps the others."""

    def __init__(self):
        self.refused, self.received, self.tokens, self.lock = 0, [], set(), threading.Lock()
        webhook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with webhook.lock:
                    if not webhook.refused:
                        webhook.refused = 1
                        self.send_error(503)
                        return
                    webhook.tokens.add(self.headers["Authorization"])
                    webhook.received.append((self.path, json.loads(body)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def events(self, kind):
        """Returns the received events of a kind."""
        with self.lock:
            return [event for _, event in self.received if event["event"] == kind]

    def expect(self, kind, within=30):
        return wait_for(f"a notification of {kind}", lambda: self.events(kind), within)[0]


def request(method, url):
    """Returns the status and the body of a request to the page."""
    link = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(link.hostname, link.port, timeout=30)
    connection.request(method, link.path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@scenario(within=120)
def notified_and_answered(folder):
    """A webhook receives the arrival at the second attempt; the link in the prompt's notification joins once, by POST alone."""
    wifi.AccessPoint(folder)
    run("ip", "address", "replace", "10.0.2.15/24", "dev", "eth0")
    run("ip", "link", "set", "eth0", "up")
    webhook = Webhook()
    try:
        token = "/run/hooks.token"
        with open(token, "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n")
        run("chmod", "0600", token)
        controller = Controller(folder)
        daemon = Daemon(
            folder, region(wifi={"ssid": wifi.SSID, "passphraseFile": wifi.passphrase_file()}), more={
                "web": {"listen": "0.0.0.0:8080"},
                "notify": [{"type": "webhook", "url": f"http://127.0.0.1:{webhook.server_port}{SECRET}", "tokenFile": token}]})
        daemon.expect_bluetooth("poweredOn", within=10)
        controller.tell("start home")
        daemon.expect("didEnterRegion", within=10)
        arrival = webhook.expect("didEnterRegion")
        check(webhook.refused == 1, "the webhook refused nothing")
        check(arrival["region"] == "home" and arrival["state"] == "inside", f"the notification is {arrival}")

        links = webhook.expect("wifiPrompt")["answers"]
        check(links["join"].startswith("http://10.0.2.15:8080/answer/"), f"the links are {links}")
        status, text = request("GET", links["join"])
        check(status == 200 and wifi.SSID in text, f"the link shows {status}: {text}")
        check(wifi.connected() is None and not daemon.events("wifiJoined"), "reading the link has joined")
        check(request("POST", links["join"])[0] == 200, "the answer was not taken")
        daemon.expect("wifiJoined", within=30)
        check(wifi.connected() == wifi.SSID, "not connected")
        status, text = request("POST", links["join"])
        check(status in (404, 410), f"a second answer got {status}: {text}")
        status, text = request("POST", links["notNow"])
        check(status in (404, 410), f"the other link is valid still: {status}: {text}")

        status, text = finish([PROGRAM, "notify", "test", "--socket", daemon.socket], within=30)
        check(status == 0, f"notify test ended with {status}: {text}")
        controller.tell("stop home")
        departure = webhook.expect("didExitRegion", within=60)
        check(departure["state"] == "outside", f"the notification is {departure}")
        check(len(webhook.events("didEnterRegion")) == 1, "the arrival was notified twice")
        check(webhook.tokens == {f"Bearer {TOKEN}"}, f"the tokens were {webhook.tokens}")
        said = daemon.said() + json.dumps(daemon.status()) + daemon.ask("status")[1] + daemon.ask("doctor")[1]
        for secret in (SECRET, TOKEN, links["join"].rsplit("/", 1)[1]):
            check(secret not in said, f"'{secret}' is shown")
    finally:
        webhook.shutdown()
        run("ip", "link", "set", "eth0", "down")


def browsed(service):
    """Returns the instances of a service that avahi finds within two seconds, each with its fields.

    With --terminate, avahi-browse of Debian 13 sometimes does not end. Its end would lose the lines that it has not written yet.
    """
    command = ["timeout", "--kill-after=1", "2", "stdbuf", "-oL", "avahi-browse", "--resolve", "--parsable", service]
    found = {}
    for line in run(*command, may_fail=True).splitlines():
        fields = line.split(";")
        # The interface, the protocol, the name, the type and the domain.
        instance = tuple(fields[1:6])
        if fields[0] == "=":
            found[instance] = fields
        elif fields[0] == "-":
            found.pop(instance, None)
    return list(found.values())


@scenario(within=120)
def found_by_mdns(folder):
    """Avahi announces the page of other machines, as often as avahi restarts, and not after the page has ended."""
    run("ip", "address", "replace", "10.0.2.15/24", "dev", "eth0")
    run("ip", "link", "set", "eth0", "up")
    run("systemctl", "start", "avahi-daemon")
    try:
        Controller(folder)
        web = {"web": {"listen": "0.0.0.0:8080"}}
        daemon = Daemon(folder, region(), more={"node": {"name": "hall"}, **web})
        for _ in range(2):
            found = wait_for("the page", lambda: browsed("_okaeri._tcp"), within=30)
            check(all(fields[8] == "8080" for fields in found), f"avahi finds {found}")
            check(any(fields[7] == "10.0.2.15" for fields in found), f"avahi finds {found}")
            check("hall" in ";".join(found[0]), f"the node is not named: {found}")
            wait_for("the page as a website", lambda: browsed("_http._tcp"), within=30)
            run("systemctl", "restart", "avahi-daemon")
        daemon.reload(region(), node={"name": "hall"}, web={"listen": "0.0.0.0:8080", "mdns": False})
        wait_for("the end of the announcement", lambda: not browsed("_okaeri._tcp"), within=30)
        daemon.reload(region(), node={"name": "hall"}, **web)
        wait_for("the page again", lambda: browsed("_okaeri._tcp"), within=30)
        daemon.stop()
        wait_for("the end of the announcement at the end", lambda: not browsed("_okaeri._tcp"), within=30)
    finally:
        run("systemctl", "stop", "avahi-daemon.socket", "avahi-daemon")
        run("ip", "link", "set", "eth0", "down")
