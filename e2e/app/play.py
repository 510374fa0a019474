#!/usr/bin/env python3
"""Tests the app for Home Assistant against a Supervisor of its own, in a network namespace with its addresses.

    play.py --app packaging/homeassistant/okaeri --folder FOLDER --program okaeri|--root ROOT [--axe axe.min.js --out FOLDER]

Starts the script of the app with the daemon on a capture of e2e/browser/house.py, and with a mosquitto that asks for a login. With
--root, script and program are those in the root of the app's image. With --axe, it also opens the page in a browser.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time

from supervisor import FAULTS, FRONT, GATEWAY, STARTING, SUPERVISOR, USERS, House

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
from talk import say

PORT, BROKER = 62123, 1883
TOP = pathlib.Path(__file__).resolve().parents[2]


def wait_for(name, condition, within=20):
    deadline = time.monotonic() + within
    while not (result := condition()):
        assert time.monotonic() < deadline, f"{name} did not come within {within} s"
        time.sleep(0.05)
    return result


class Lab:
    """The folders of the app, its Supervisor, and its process."""

    def __init__(self, options):
        self.folder, self.app, self.root = options.folder, options.app, options.root
        top = self.root or self.folder
        self.data, self.config, self.etc, self.run = (top / name for name in ("data", "config", "etc/okaeri", "run/okaeri"))
        for folder in (self.data, self.config):
            folder.mkdir()
        self.state = self.data / "okaeri"
        self.password = secrets.token_hex(16)
        self.house = House(PORT, {
            "host": GATEWAY, "port": str(BROKER), "ssl": False, "username": "addons", "password": self.password,
            "protocol": "3.1.1", "addon": "core_mosquitto"})
        self.environment = {"SUPERVISOR_TOKEN": self.house.token, "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}
        if self.root:
            self.script = ["chroot", self.root, "sh", "/usr/lib/okaeri-app/run.sh"]
            (self.root / "etc/hosts").write_text(f"127.0.0.1 localhost\n{SUPERVISOR} supervisor\n")
            # Those of the image, and the search path that each container has.
            lines = (self.app / "Dockerfile").read_text().partition("\nENV ")[2].partition("\nLABEL")[0]
            self.environment |= dict(re.findall(r"(\w+)=(\S+)", lines))
            self.environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        else:
            self.script = ["sh", self.app / "run.sh"]
            programs = self.folder / "bin"
            programs.mkdir()
            (programs / "okaeri").symlink_to(options.program)
            self.environment |= {
                "PATH": f"{programs}:{os.environ['PATH']}", "OKAERI_APP_SUPERVISOR": f"http://{SUPERVISOR}",
                "container": "homeassistant", "OKAERI_APP_DATA": str(self.data), "OKAERI_APP_CONFIG": str(self.config),
                "OKAERI_CONFIG": str(self.etc / "beacons.json"), "RUNTIME_DIRECTORY": str(self.run),
                "STATE_DIRECTORY": str(self.state)}
        self.environment["OKAERI_SOCKET"] = str(self.seen(self.run / "okaeri.sock"))
        self.process = None
        self.options(name="homeassistant")

    def options(self, **options):
        (self.data / "options.json").write_text(json.dumps(options))

    def broker(self):
        users = self.folder / "users"
        subprocess.run(["mosquitto_passwd", "-c", "-b", users, "addons", self.password], check=True, capture_output=True)
        users.chmod(0o644)
        (self.folder / "mosquitto.conf").write_text(
            f"listener {BROKER} {GATEWAY}\nallow_anonymous false\npassword_file {users}\nuser root\n")
        log = open(self.folder / "mosquitto.log", "w")
        return subprocess.Popen(["mosquitto", "-c", self.folder / "mosquitto.conf"], stdout=log, stderr=log)

    def seen(self, path):
        """Returns a path as the app has it."""
        return f"/{path.relative_to(self.root)}" if self.root else path

    def start(self):
        shutil.copy(self.folder / "live.btsnoop", self.data)
        capture, state = self.seen(self.data / "live.btsnoop"), self.seen(self.state)
        with open(self.folder / "app.log", "a") as log:
            self.process = subprocess.Popen(
                [*self.script, "--capture", capture, "--wifi", "simulated", "--state-dir", state], env=self.environment, stdout=log, stderr=log)
        wait_for("the page", lambda: self.ask("/")[0] == 200)
        self.before = self.made()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=30) == 0, self.process.returncode

    def is_healthy(self):
        """Runs the health check of the image, with its time limit. The programs of the container have the same environment."""
        description = (self.app / "Dockerfile").read_text().partition("\nHEALTHCHECK ")[2]
        limit = int(re.search(r"--timeout=(\d+)s", description)[1])
        command = [*(["chroot", self.root] if self.root else []), "sh", "-c", description.partition("CMD ")[2].strip()]
        try:
            return subprocess.run(command, env=self.environment, capture_output=True, timeout=limit).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def made(self):
        return (self.etc / "beacons.json").read_text()

    def ends(self, status, sentence, **environment):
        """Checks that the script ends with a status and a sentence, and starts no daemon."""
        done = subprocess.run(
            self.script, env={**self.environment, **environment}, capture_output=True, text=True, timeout=60)
        assert done.returncode == status and sentence in done.stderr, (done.returncode, done.stderr)
        assert all(line.isprintable() for line in done.stderr.split("\n")), done.stderr
        assert self.password not in done.stderr and self.house.token not in done.stderr
        return done.stderr

    @staticmethod
    def ask(path, source=GATEWAY, method="GET", **fields):
        """Returns the status and the content of an answer of the app itself; status 0 without one."""
        app = http.client.HTTPConnection(GATEWAY, PORT, timeout=10, source_address=(source, 0))
        try:
            app.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
            answer = app.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            app.close()


def retained(lab, topic):
    """Returns the retained message of a topic."""
    command = ["mosquitto_sub", "-h", GATEWAY, "-p", str(BROKER), "-u", "addons", "-P", lab.password, "-t", topic, "-C", "1", "-W", "20"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def refusals(lab):
    """Options and files that are wrong, a Supervisor that refuses, and a host without a broker"""
    lab.options(name="a b")
    lab.ends(78, 'the option name is "a b"')
    lab.options(name="hall\n\u202e")
    lab.ends(78, "the option name is")
    lab.options(name="居間")
    lab.ends(78, 'the option name is "居間"')
    lab.options(name="hall\nokaeri: forged\u0085")
    said = lab.ends(78, "the option name is")
    assert said.count("\n") == 1 and said[:-1].isprintable(), said
    lab.options(name="hall", adapter="../hci0")
    lab.ends(78, "the option adapter is")
    for text in ('["\\n"]', "", '{"name":' + "[" * 20000 + "]" * 20000 + "}", '{"name":"' + "a" * 5_000_000 + '"}'):
        (lab.data / "options.json").write_text(text)
        lab.ends(78, "option")
    lab.options(name="homeassistant")
    lab.ends(69, "answer to addons/self/info cannot be used: status 403", SUPERVISOR_TOKEN="wrong", OKAERI_APP_PATIENCE="0")
    lab.ends(64, "SUPERVISOR_TOKEN is missing", SUPERVISOR_TOKEN="")
    own = (lab.config / "beacons.json").read_text()
    (lab.config / "beacons.json").write_text('{"regions": [], "webb": {}}')
    lab.ends(78, "webb")
    (lab.config / "beacons.json").write_text('{"regions": [')
    lab.ends(78, "beacons.json")
    (lab.config / "beacons.json").write_text('{"regions": [], "web": "\\u001b[2J\\n"}')
    lab.ends(78, "web: expected an object")
    (lab.config / "beacons.json").unlink()
    os.mkfifo(lab.config / "beacons.json")
    lab.ends(78, "it is not a regular file")
    (lab.config / "beacons.json").unlink()
    # A link to a place that the app alone may write to.
    (lab.config / "beacons.json").symlink_to(lab.data / "absent")
    lab.ends(78, "")
    assert not (lab.data / "absent").exists(), "the link is followed"
    (lab.config / "beacons.json").unlink()
    (lab.config / "beacons.json").write_text(own)


def unanswered(lab):
    """A useless answer of the Supervisor does not mean that Home Assistant has no broker, and a wrong one is named"""
    for path in ("addons/self/info", "services/mqtt"):
        for name, fault in FAULTS.items():
            lab.house.faults = {f"/{path}": [fault]}
            said = lab.ends(69, f"the Supervisor's answer to {path} cannot be used: ", OKAERI_APP_PATIENCE="0")
            assert said.count("\n") == 1 and said[:-1].isprintable() and "jq: " not in said, (name, said)
    lab.ends(69, "Failed to connect", OKAERI_APP_PATIENCE="0", OKAERI_APP_SUPERVISOR=f"http://{SUPERVISOR}:9")
    lab.house.faults = {"/addons/self/info": [STARTING] * 99}
    waiting = subprocess.Popen(lab.script, env=lab.environment, stderr=subprocess.PIPE, text=True)
    assert "startup" in waiting.stderr.readline()
    waiting.terminate()
    assert waiting.wait(timeout=15) == 0, "the script does not end well while it waits"
    waiting.stderr.close()
    lab.house.faults = {}
    broker = lab.house.broker
    for key, value in (("host", None), ("host", "a b"), ("port", "abc"), ("port", 1883.5), ("port", 65536), ("ssl", "yes"),
                       ("username", 5), ("username", "a\nb"), ("password", 5)):
        lab.house.broker = {**broker, key: value}
        lab.ends(69, f"answer to services/mqtt cannot be used: {key} is {json.dumps(value)}; expected ")
    lab.house.broker = broker


def first_start(lab):
    """Without a file and without a broker the app starts, and writes a file to edit"""
    broker, lab.house.broker = lab.house.broker, None
    lab.start()
    assert json.loads((lab.config / "beacons.json").read_text()) == {"regions": []}
    log = (lab.folder / "app.log").read_text()
    assert "install the app Mosquitto broker" in log
    assert "open the page in Home Assistant" in log and "sudo" not in log, log
    assert "mqtt" not in json.loads(lab.made())
    assert lab.is_healthy()
    lab.stop()
    assert not lab.is_healthy(), "an app without a daemon is healthy"
    lab.house.broker = broker


def hook_file(lab):
    return lab.data / "environment"


def configured(lab):
    """The broker and the name are those of Home Assistant, the room that of the file, and the password is in a file of its own"""
    made = json.loads(lab.made())
    assert made["web"] == {"listen": f"{GATEWAY}:{PORT}", "ingress": SUPERVISOR}, made["web"]
    assert made["node"] == {"name": "homeassistant", "room": "居間"} and len(made["regions"]) == 3, made
    assert retained(lab, "okaeri/home/node/homeassistant/status") == "online"
    assert json.loads(retained(lab, "okaeri/home/node/homeassistant/about"))["room"] == "居間"
    assert GATEWAY not in retained(lab, "homeassistant/device/okaeri_home/node_homeassistant/config"), "a link for the proxy is published"
    secret = lab.run / "mqtt.password"
    assert secret.read_text() == lab.password and secret.stat().st_mode & 0o777 == 0o600
    commands = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(lab.password.encode() in one or lab.house.token.encode() in one for one in commands)
    log = (lab.folder / "app.log").read_text()
    assert log.count("asking again") == 2 and lab.house.faults["/services/mqtt"] == [], log
    assert "not encrypted" not in log, "the page warns of a network that it is not in"
    assert lab.password not in log + lab.made() and lab.house.token not in log + lab.made()
    status = pathlib.Path(f"/proc/{lab.process.pid}/status").read_text()
    environment = pathlib.Path(f"/proc/{lab.process.pid}/environ").read_text(errors="replace")
    found = wait_for("the hook", lambda: hook_file(lab).exists() and hook_file(lab).read_text())
    assert "OKAERI_" in found and lab.house.token not in environment + found, "the token of the Supervisor is passed on"
    # NET_ADMIN and NET_RAW of capabilities(7).
    assert "CapBnd:\t0000000000003000" in status and "NoNewPrivs:\t1" in status, status


def secrets_of_file(lab):
    """A file with a secret may have the mode that Samba gives it, links are not followed, and `mqtt` without a host has the broker"""
    own, copies = lab.config / "beacons.json", lab.run / "config"
    before = own.read_text()
    files = {"mqtt.password": 0o644, "ca/ca.pem": 0o744, "home.psk": 0o666, "token": 0o604, "phone.irk": 0o600}
    for name, mode in files.items():
        path = lab.config / name
        path.parent.mkdir(exist_ok=True)
        path.write_text({"mqtt.password": lab.password, "phone.irk": "00112233445566778899aabbccddeeff"}.get(name, "a secret of 1"))
        path.chmod(mode)
        # A user namespace has root alone.
        with contextlib.suppress(OSError):
            os.chown(path, 1000, 1000)
    outside = lab.data / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not of the folder")
    (outside / "secret").chmod(0o600)
    (lab.config / "link").symlink_to(lab.seen(outside / "secret"))
    (lab.config / "out").symlink_to(lab.seen(outside))
    os.mkfifo(lab.config / "fifo")
    beacon = {"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}
    named = lambda name: str(lab.seen(lab.config / name))
    region = lambda number, **keys: {"identifier": f"r{number}", **keys}
    network = lambda number, name: region(
        number, **beacon, major=number, wifi={"ssid": f"Home{number}", "join": "off", "passphraseFile": named(name)})
    links = ("link", "out/secret", "fifo", "missing")
    own.write_text(json.dumps({
        "mqtt": {"host": GATEWAY, "username": "addons", "passwordFile": named("mqtt.password"), "tls": False},
        "regions": [network(0, "home.psk"), *(network(*one) for one in enumerate(links, 1)), region(9, phone=named("phone.irk"))],
        "notify": [{"type": "webhook", "url": "https://172.30.32.2/", "tokenFile": named("token")}]}))
    start = (lab.folder / "app.log").stat().st_size
    lab.start()
    made = json.loads(lab.made())
    copied = lambda name: str(lab.seen(copies / name))
    assert made["mqtt"]["passwordFile"] == copied("mqtt.password") and made["notify"][0]["tokenFile"] == copied("token"), made
    paths = [one["wifi"]["passphraseFile"] for one in made["regions"] if "wifi" in one]
    assert paths == [copied("home.psk"), *map(named, links)] and made["regions"][-1]["phone"] == copied("phone.irk"), made
    found = {path.name: path for path in copies.rglob("*") if path.is_file()}
    assert found.keys() == {"mqtt.password", "home.psk", "token", "phone.irk"}, found
    assert all(path.stat().st_mode & 0o777 == 0o600 and path.stat().st_uid == 0 for path in found.values())
    assert found["mqtt.password"].read_text() == lab.password
    # The login of the file is used.
    assert retained(lab, "okaeri/home/node/homeassistant/status") == "online"
    lab.stop()
    log = (lab.folder / "app.log").read_text()[start:]
    assert "chmod" not in log, log
    own.write_text(json.dumps({"mqtt": {"site": "cabin"}, "regions": [region(1, **beacon)]}))
    lab.start()
    login = {"username": "addons", "passwordFile": str(lab.seen(lab.run / "mqtt.password"))}
    assert json.loads(lab.made())["mqtt"] == {"host": GATEWAY, "port": BROKER, "tls": False, **login, "site": "cabin"}
    assert retained(lab, "okaeri/cabin/node/homeassistant/status") == "online"
    lab.stop()
    own.write_text(json.dumps({"mqtt": {"username": "anna", "port": 8883, "tls": {"ca": named("ca/ca.pem")}}, "regions": []}))
    lab.start()
    assert json.loads(lab.made())["mqtt"] == {
        "host": GATEWAY, "port": 8883, "tls": {"ca": copied("ca/ca.pem")}, "username": "anna"}
    lab.stop()
    own.write_text(before)


def health(lab):
    """The app is healthy while the daemon answers, without a region that is inside, too, and not if it hangs or has ended"""
    assert lab.is_healthy()
    lab.process.send_signal(signal.SIGSTOP)
    try:
        assert not lab.is_healthy(), "a daemon that hangs is healthy"
    finally:
        lab.process.send_signal(signal.SIGCONT)
    wait_for("the health", lab.is_healthy)


def pretended(lab):
    """Only the Supervisor's address logs a user in"""
    user = {"X_Remote_User_Id": "4f1c0ffee0ddba11", "X_Forwarded_For": SUPERVISOR, "Host": GATEWAY}
    assert lab.ask("/v1/status", GATEWAY, **user)[0] == 401
    assert lab.ask("/v1/status", GATEWAY, **{**user, "Host": "homeassistant.local:8123"})[0] == 421
    assert lab.ask("/v1/status", SUPERVISOR, **user)[0] == 200
    assert lab.ask("/v1/status", SUPERVISOR, Host=GATEWAY)[0] == 401
    front = http.client.HTTPConnection(GATEWAY, FRONT)
    front.request("GET", f"{lab.house.prefix}v1/status", headers={"X-Remote-User-Id": "4f1c0ffee0ddba11"})
    assert front.getresponse().status == 401, "Home Assistant passes on a request without a login"


def limited(lab):
    """A user that is not listed gets no passphrase, and with a list only looks"""
    code, anna, bert = "/v1/guests/code?ssid=HomeNet", *(
        {"X_Remote_User_Id": one[0], "X_Remote_User_Name": one[1], "X_Remote_User_Display_Name": one[2].encode(), "Host": GATEWAY}
        for one in (USERS["anna"], USERS["bert"]))
    for user, name in ((anna, "anna"), (bert, "bert")):
        status, answer = lab.ask(code, SUPERVISOR, **user)
        assert status == 403 and name in answer, (status, answer)
        assert json.loads(lab.ask("/v1/web/session", SUPERVISOR, **user)[1])["rights"] == "change"
    lab.stop()
    lab.options(name="homeassistant", users=["anna", ""])
    lab.start()
    assert json.loads(lab.made())["web"]["users"] == ["anna"]
    assert lab.ask(code, SUPERVISOR, **anna)[0] != 403
    # The name that Home Assistant shows of this user is that of the other one.
    assert lab.ask(code, SUPERVISOR, **bert)[0] == 403
    session = json.loads(lab.ask("/v1/web/session", SUPERVISOR, **bert)[1])
    assert session["rights"] == "look" and session["csrf"] is None, session


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--app", "--folder"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    for name in ("--program", "--root", "--axe", "--out"):
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args()
    lab = Lab(options)
    broker = lab.broker()
    try:
        subprocess.run([TOP / "e2e/browser/house.py", options.folder], check=True)
        (options.folder / "beacons.json").rename(options.folder / "regions-of-house.json")
        for step in (first_start, refusals, unanswered, secrets_of_file):
            say(step.__doc__)
            step(lab)
        own = {**json.loads((options.folder / "regions-of-house.json").read_text()), "node": {"name": "file", "room": "居間"}}
        kept = lab.seen(hook_file(lab))
        for region in own["regions"]:
            region["onEnter"] = ["sh", "-c", f"env >{kept}.new && mv {kept}.new {kept}"]
        (lab.config / "beacons.json").write_text(json.dumps(own))
        # The Supervisor itself is starting.
        lab.house.faults = {"/addons/self/info": [STARTING], "/services/mqtt": [STARTING, STARTING]}
        lab.start()
        for step in (configured, health, pretended, limited):
            say(step.__doc__)
            step(lab)
        if options.axe:
            walk_page(options, lab)
        lab.stop()
    finally:
        if lab.process and lab.process.poll() is None:
            lab.process.kill()
        broker.terminate()


def walk_page(options, lab):
    import ingress as page

    options.axe_source = options.axe.read_text()
    options.out.mkdir(parents=True, exist_ok=True)
    options.base = f"http://{GATEWAY}:{FRONT}{lab.house.prefix}".rstrip("/")
    page.all_stages(options, lab)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"app: {error!r}")
