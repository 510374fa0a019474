"""The Debian package: after the installation the service runs as shipped; after a purge no files are left. repository.py
upgrades and removes the package."""

import glob
import http.client
import json
import os
import shutil
import socket

from lab import bluez, lamp, privacy, wifi
from lab.bluetoothctl import Bluetoothctl
from lab.btvirt import Btvirt
from lab.controller import Controller
from lab.daemon import UUID, region
from lab.peer import Peer
from lab.processes import run
from lab.registry import scenario
from lab.waiting import check, wait_for

PROGRAM = "/usr/bin/okaeri"
CONFIGURATION = "/etc/okaeri/beacons.json"
# The identity resolving key of a phone.
KEY = "ec0234a357c8ad05341010a60a397d9b"


def shipped():
    """Returns the package that the host has made."""
    return glob.glob("/mnt/host/packages/okaeri_*.deb")[0]


def owned_files():
    """Returns all paths on the machine with the package's name, and all files without an owner, which a deleted user would
    leave behind."""
    found = run("find", "/", "-xdev", "-not", "-path", "/usr/local/*", "(", "-name", "*okaeri*", "-o", "-nouser", "-o",
                "-nogroup", ")", within=120)
    return {path for path in found.splitlines() if "okaeri-e2e" not in path}


def check_nothing_left(before):
    """After the purge the machine has no more files, services and users than before."""
    check(run("systemctl", "is-active", "okaeri", may_fail=True) == "inactive", "the service runs still")
    check(not os.path.exists("/run/okaeri"), "the socket is left behind")
    left = owned_files() - before
    check(not left, f"left behind: {sorted(left)}")
    for database in ("passwd", "group"):
        check("okaeri" not in run("getent", database), f"left behind in {database}")


def status():
    """Returns the output of the service."""
    text = run(PROGRAM, "status", "--json", may_fail=True)
    return json.loads(text) if text.startswith("{") else None


def state():
    """Returns the state of the region `home`; None before it is configured."""
    known = status()
    return known["regions"][0]["state"] if known and known["regions"] else None


def journal(*match):
    return run("journalctl", "--no-pager", "-o", "cat", "-u", "okaeri", *match)


def configure(hook=None, services=(), **wifi_settings):
    settings = {"onEnter": hook} if hook else {}
    regions = [region(wifi={"ssid": wifi.SSID, **wifi_settings}, **settings)]
    with open(CONFIGURATION, "w", encoding="utf-8") as file:
        json.dump({"regions": regions, "services": services}, file)


def rights(status):
    """Returns the capabilities in the text of /proc/PID/status, by their set."""
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return {name: int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")}


@scenario(within=480)
def package(folder):
    """After the installation the service runs as shipped, without a region until the set-up; after a purge no files are left."""
    before = owned_files()
    controller = Controller(folder)
    controller.tell("start home")
    run("dpkg", "-i", shipped(), within=120)
    wait_for("the service", lambda: status() and status()["regions"] == [], within=20)
    played = run(PROGRAM, "demo", within=60)
    check("didExitRegion  home" in played and "wifiJoined" in played, f"the demo shows another course: {played}")
    check(status()["regions"] == [], "the demo has changed the service")
    run(PROGRAM, "setup", "--beacon", f"{UUID}/100/100", "--identifier", "home")
    run("systemctl", "reload", "okaeri")
    wait_for("home inside", lambda: state() == "inside", within=20)
    check(run("systemctl", "is-active", "okaeri") == "active", "the service is not active")
    check(run("ps", "-o", "user=", "-C", "okaeri") == "okaeri", "the service does not run as its own user")
    check("didEnterRegion" in journal("REGION=home", "-o", "export") or "home" in journal("REGION=home"),
          "the journal knows no REGION=home")
    check(journal("REGION=nowhere") in ("", "-- No entries --"), "the journal's REGION says nothing")
    check("thread priority" not in journal(), "the runtime complains that it may not set its threads' priority")

    said = run(PROGRAM, "web", "on", within=60)
    check("http://127.0.0.1:8080/#login=" in said, f"the page is on, and no link is printed: {said}")
    said = run(PROGRAM, "web", "off", within=60)
    check('"web"' not in open(CONFIGURATION, encoding="utf-8").read(), f"the page is off, and in the configuration: {said}")
    wait_for("home inside after the restarts", lambda: state() == "inside", within=20)

    run("dpkg", "--purge", "okaeri", within=120)
    check_nothing_left(before)


@scenario(within=480)
def service_joins(folder):
    """The service, with only the rights of its unit, joins the Wi-Fi, and its hooks have none of these rights."""
    wifi.AccessPoint(folder)
    controller = Controller(folder)
    run("dpkg", "-i", shipped(), within=120)
    try:
        file = "/etc/okaeri/home.psk"
        shutil.move(wifi.passphrase_file(), file)
        run("chown", "okaeri:", file)
        path = "/var/lib/okaeri/hook"
        configure(["sh", "-c", f"cat /proc/self/status >{path}.new && mv {path}.new {path}"],
                  join="auto", passphraseFile=file)
        run("systemctl", "restart", "okaeri")
        controller.tell("start home")
        wait_for("home", lambda: wifi.connected() == wifi.SSID, within=60)
        wait_for("the hook", lambda: os.path.exists(path), within=5)
        with open(path, encoding="utf-8") as file:
            check(not any(rights(file.read()).values()), "a hook has the service's rights")
    finally:
        run("dpkg", "--purge", "okaeri", within=120)


@scenario(within=180)
def service_connects(folder):
    """The service, with only the rights of its unit, has bluetoothd connect the configured device."""
    btvirt = Btvirt(folder)
    bluez.start()
    btvirt.repeat()
    peer = Peer(folder)
    run("dpkg", "-i", shipped(), within=120)
    try:
        configure(services=[{"identifier": "lamp", "service": lamp.SERVICE}])
        run("systemctl", "restart", "okaeri")
        wait_for("the lamp", lambda: peer.address in journal("EVENT=peripheralDidConnect"), within=40)
    finally:
        run("dpkg", "--purge", "okaeri", within=120)


@scenario(within=240)
def service_enrolls_phone(folder):
    """The service, with only the rights of its unit, pairs with a phone for the page: both sides confirm six digits, the key is
    in a file of the service, and the phone enters its region. The answers of the service do not contain the key."""
    btvirt = Btvirt(folder, is_up=False)
    bluez.start()
    privacy.enable("hci0", bytes.fromhex(KEY)[::-1])
    btvirt.repeat()
    run("dpkg", "-i", shipped(), within=120)
    answers = []

    def enrollment(path="", method="GET", **content):
        pi = http.client.HTTPConnection("localhost", timeout=30)
        pi.sock = socket.socket(socket.AF_UNIX)
        pi.sock.settimeout(30)
        pi.sock.connect("/run/okaeri/okaeri.sock")
        body = json.dumps(content) if content else None
        pi.request(method, f"/v1/enrollment{path}", body, {"Content-Type": "application/json"} if body else {})
        answer = pi.getresponse()
        answers.append(answer.read().decode())
        check(answer.status == 200, f"{method} ended with {answer.status}: {answers[-1]}")
        return json.loads(answers[-1])

    try:
        with open(CONFIGURATION, "w", encoding="utf-8") as file:
            json.dump({"adapter": "hci1", "regions": []}, file)
        run("systemctl", "restart", "okaeri")
        wait_for("the service", status, within=20)
        enrollment(method="POST", name="anna")
        wait_for("the advertisement", lambda: enrollment()["state"] == "advertising", within=20)
        phone = Bluetoothctl(folder, "hci0")
        phone.find(bluez.address("hci1"))
        phone.tell(f"pair {bluez.address('hci1')}")
        wait_for("the question", lambda: "question" in enrollment(), within=20)
        question = enrollment()["question"]
        phone.expect_said(f"Confirm passkey {question['digits']}", within=20)
        phone.tell("yes")
        enrollment("/answer", "POST", question=question["id"], agrees=True)
        wait_for("the region", lambda: enrollment()["state"] == "done", within=40)
        key = "/var/lib/okaeri/anna.irk"
        check(run("stat", "-c", "%U %a", key) == "okaeri 600", f"the key has {run('stat', '-c', '%U %a', key)}")
        with open(key, encoding="utf-8") as file:
            check(file.read().lower().split()[0] == KEY, "the file has another key")
        phone.tell("advertise on")
        wait_for("anna inside", lambda: state() == "inside", within=30)
        wait_for("the receptions", lambda: enrollment()["reception"]["count"] > 0, within=10)
        said = "".join(answers) + journal() + run(PROGRAM, "status", "--json")
        check(KEY not in said.lower(), "an answer or the journal shows the key")
    finally:
        run("dpkg", "--purge", "okaeri", within=120)
