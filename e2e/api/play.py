"""play.py PROGRAM FOLDER: tests the daemon on a capture with schemathesis, and with a Prometheus that scrapes it. Logs go to
FOLDER."""
import json
import pathlib
import re
import select
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
SOCKET = FOLDER / "okaeri.sock"
# A name with all kinds of characters, because names may contain any.
REGION = 'say "家",\\} 1 # EOF'
SERIES = re.compile(r"\b(?:okaeri_[a-z_]+|process_start_time_seconds|up)\b")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Bridge(socketserver.ThreadingTCPServer):
    """A TCP port for the Unix socket, which HTTP libraries do not support."""
    daemon_threads = True
    allow_reuse_address = True

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            with socket.socket(socket.AF_UNIX) as daemon:
                daemon.connect(str(SOCKET))
                ends = {self.request: daemon, daemon: self.request}
                while True:
                    for end in select.select(list(ends), [], [])[0]:
                        try:
                            piece = end.recv(65536)
                            ends[end].sendall(piece)
                        except OSError:
                            return
                        if not piece:
                            return

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


def ask(url, headers=None, body=None):
    """Returns the status, the fields and the text of an answer; sends a POST if there is a body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers or {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def get(url, headers=None):
    status, fields, text = ask(url, headers)
    return status, fields["content-type"], text


def wait(what, within, condition):
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            found = condition()
        except OSError:
            found = None
        if found:
            return found
        time.sleep(0.1)
    sys.exit(f"api: {what} did not come within {within} s")


def strict_schema():
    """Writes the description of the API with answers that allow no fields but those in it; returns the file."""
    document = yaml.safe_load((ROOT / "docs/api.yaml").read_text())
    for name, shape in document["components"]["schemas"].items():
        if name != "Answer" and "properties" in shape:
            shape["additionalProperties"] = False
    file = FOLDER / "api.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    return file


def schemathesis(schema, url, name, *selection):
    """All checks but one: a schema cannot describe which regions and times are valid. The event stream never ends, and has
    other tests."""
    command = [pathlib.Path(sys.executable).parent / "st", "run", schema, "--url", url, "--checks", "all",
               "--exclude-checks", "positive_data_acceptance", "--seed", "1",
               "--phases", "examples,coverage,fuzzing", "--max-examples", "40", "--no-shrink", "--request-timeout", "10",
               "--continue-on-failure", "--exclude-path", "/v1/events", *selection]
    with open(FOLDER / f"schemathesis-{name}.log", "w") as log:
        result = subprocess.run(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT, cwd=FOLDER)
    if result.returncode:
        sys.exit((FOLDER / f"schemathesis-{name}.log").read_text() + f"\napi: schemathesis is not content with {name}")
    print(f"api: schemathesis is content with {name}")


def check_stream(url):
    request = urllib.request.Request(url + "/v1/events", headers={"Last-Event-ID": "0"})
    with urllib.request.urlopen(request, timeout=10) as stream:
        if stream.headers["content-type"] != "text/event-stream":
            sys.exit(f"api: the event stream is {stream.headers['content-type']}")
        data = next(line for line in stream if line.startswith(b"data:"))
    known = yaml.safe_load((ROOT / "docs/api.yaml").read_text())["components"]["schemas"]["Event"]
    unknown = set(json.loads(data[5:])) - set(known["properties"])
    if unknown:
        sys.exit(f"api: docs/api.yaml does not know the fields {unknown} of an event")


def log_in(socket_url, page):
    """Returns the header fields of a browser with a session."""
    link = json.loads(ask(socket_url + "/v1/web/links", body={})[2])
    status, fields, text = ask(page + "/v1/web/login", {"Origin": page}, {"token": link["token"], "name": "a test"})
    if status != 200:
        sys.exit(f"api: the link is answered by {status}: {text}")
    cookie = fields["set-cookie"].split(";")[0]
    return {"Origin": page, "Cookie": cookie, "X-Okaeri-Token": json.loads(text)["csrf"]}


def check_page(schema, socket_url, page):
    """The page's port serves the same API with a session, and nothing without one."""
    if ask(page + "/v1/status")[0] != 401:
        sys.exit("api: the page's port answers a request without a session")
    login = log_in(socket_url, page)
    fields = [word for name, value in login.items() for word in ("-H", f"{name}: {value}")]
    # A logout would end the session, and so would the deletion of it.
    schemathesis(schema, page, "page", "--exclude-path-regex", "^/v1/web/(logout|links|devices.*)$", *fields)
    status, _, text = ask(page + "/v1/web/logout", login, {})
    if (status, json.loads(text)) != (200, {"id": None, "name": None, "csrf": None, "open": False, "ingress": False, "rights": "look"}):
        sys.exit(f"api: to log out is answered by {status}: {text}")
    if ask(page + "/v1/status", login)[0] != 401:
        sys.exit("api: a request after the logout is answered")


def check_metrics(port):
    """promtool reads the older format, as curl receives it; the Prometheus below reads OpenMetrics."""
    status, kind, text = get(f"http://127.0.0.1:{port}/metrics", {"Accept": "*/*"})
    if (status, kind) != (200, "text/plain; version=0.0.4; charset=utf-8"):
        sys.exit(f"api: /metrics answers {status}, {kind}")
    (FOLDER / "metrics").write_text(text)
    found = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    if found.returncode or found.stderr or found.stdout:
        sys.exit(f"api: promtool is not content with /metrics:\n{found.stdout}{found.stderr}")
    # Those that the capture and its configuration have no sample of.
    optional = {"up", "okaeri_mqtt_connected", "okaeri_peripheral_connected", "okaeri_region_battery_ratio"}
    names = set(re.findall(r"^# TYPE (\S+)", text, re.M)) | optional
    for file in ("prometheus/okaeri.rules.yml", "grafana/okaeri.json"):
        for name in sorted(set(SERIES.findall((ROOT / "packaging" / file).read_text())) - names):
            sys.exit(f"api: packaging/{file} asks for {name}, which /metrics does not have")
    if get(f"http://127.0.0.1:{port}/metrics", {"Host": "evil.example"})[0] != 421:
        sys.exit("api: a request with another machine in Host is answered")
    print("api: promtool is content with /metrics, and the dashboard and the rules ask for what is there")


def scrape(port):
    """A real Prometheus, with the rules."""
    own = free_port()
    (FOLDER / "prometheus.yml").write_text(yaml.safe_dump({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(ROOT / "packaging/prometheus/okaeri.rules.yml")],
        "scrape_configs": [{"job_name": "okaeri", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}]}))
    log = open(FOLDER / "prometheus.log", "w")
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={FOLDER}/prometheus.yml", f"--storage.tsdb.path={FOLDER}/tsdb",
         f"--web.listen-address=127.0.0.1:{own}"], stdout=log, stderr=log)

    def ask(path, **query):
        return json.loads(get(f"http://127.0.0.1:{own}/api/v1/{path}?{urllib.parse.urlencode(query)}")[2])["data"]

    def value(query):
        return [(series["metric"], float(series["value"][1])) for series in ask("query", query=query)["result"]]

    try:
        wait("Prometheus", 30, lambda: get(f"http://127.0.0.1:{own}/-/ready")[0] == 200)
        wait("a scrape", 30, lambda: [v for _, v in value('up{job="okaeri"}')] == [1.0])
        target, = ask("targets")["activeTargets"]
        if target["lastError"]:
            sys.exit(f"api: Prometheus says of the scrape: {target['lastError']}")
        regions = {series["region"] for series, _ in value("okaeri_region_state")}
        if regions != {"home", REGION}:
            sys.exit(f"api: Prometheus knows the regions {regions}")
        unit, = ask("metadata", metric="okaeri_air_deaf_seconds")["okaeri_air_deaf_seconds"]
        if (unit["type"], unit["unit"]) != ("counter", "seconds"):
            sys.exit(f"api: Prometheus takes okaeri_air_deaf_seconds for {unit}")
        wait("iBeacons", 20, lambda: value("okaeri_ibeacon_reports_total > 0"))
        wait("the rules", 20, lambda: [
            rule for group in ask("rules")["groups"] for rule in group["rules"]
            if rule["name"] == "OkaeriDown" and rule["health"] == "ok"])
        board = json.loads((ROOT / "packaging/grafana/okaeri.json").read_text())
        for expression in [target["expr"] for panel in board["panels"] for target in panel["targets"]]:
            query = expression.replace("$instance", ".*").replace("$__rate_interval", "5m")
            status, _, text = get(f"http://127.0.0.1:{own}/api/v1/query?{urllib.parse.urlencode({'query': query})}")
            if status != 200:
                sys.exit(f"api: Prometheus does not take a query of the dashboard, {query}: {text}")
        print("api: a Prometheus scrapes it, and takes every query of the dashboard")
        return lambda: wait("the alert of a daemon that is gone", 30, lambda: [
            alert for alert in ask("alerts")["alerts"] if alert["labels"]["alertname"] == "OkaeriDown"]), prometheus
    except BaseException:
        prometheus.kill()
        raise


def main():
    port, page = free_port(), free_port()
    home = {"uuid": "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34", "major": 100, "minor": 100}
    (FOLDER / "beacons.json").write_text(json.dumps({
        "metrics": {"listen": f"127.0.0.1:{port}"}, "web": {"listen": f"127.0.0.1:{page}"},
        "regions": [{"identifier": "home", **home, "wifi": {"ssid": "HomeNet"}}, {"identifier": REGION, **home}]}))
    with open(FOLDER / "okaeri.out", "w") as out, open(FOLDER / "okaeri.err", "w") as err:
        daemon = subprocess.Popen(
            [PROGRAM, "monitor", "--json", "--config", FOLDER / "beacons.json", "--socket", SOCKET, "--state-dir",
             FOLDER / "state", "--capture", ROOT / "Demo/homecoming.btsnoop", "--speed", "4", "--wifi", "simulated"],
            stdout=out, stderr=err)
    prometheus = None
    try:
        bridge = Bridge()
        wait("the socket", 20, SOCKET.exists)
        wait("the question about the Wi-Fi", 30, lambda: json.loads(get(bridge.url + "/v1/prompts")[2])["waiting"])
        check_metrics(port)
        gone, prometheus = scrape(port)
        check_stream(bridge.url)
        schema = strict_schema()
        schemathesis(schema, bridge.url, "socket", "--exclude-path-regex", "^/(v1/(web/(login|session|logout)|guests(/code)?|backup)|answer/.*)$")
        check_page(schema, bridge.url, f"http://127.0.0.1:{page}")
        schemathesis(schema, f"http://127.0.0.1:{port}", "metrics", "--include-path-regex", "^/(metrics|v1/health)$")
        status, _, text = get(bridge.url + "/v1/status")
        if status != 200 or daemon.poll() is not None:
            sys.exit(f"api: afterwards the daemon answers {status}: {text}")
        daemon.send_signal(signal.SIGTERM)
        if daemon.wait(timeout=20) != 0:
            sys.exit(f"api: the daemon ended with {daemon.returncode}")
        gone()
    finally:
        daemon.kill()
        if prometheus:
            prometheus.kill()


main()
