"""The container image in a real runtime, with the network of the machine and two rights. scripts/image --check tests the rest without a
controller."""

import contextlib
import json
import os
import shutil
import signal

from lab import bluez, wifi
from lab.controller import Controller
from lab.daemon import region
from lab.processes import Process, finish, run
from lab.registry import scenario
from lab.waiting import check, wait_for

IMAGE, CONFIGURATION = "/mnt/host/container/root.img", "/mnt/host/container/configuration.json"
BUNDLE = "/run/bundle"
NAME = "okaeri-under-test"
# As Docker gives them to the user of an image: without ambient ones.
RIGHTS = ["CAP_NET_ADMIN", "CAP_NET_RAW"]
USER = 10001


BUS = "/run/dbus/system_bus_socket"
# The rule is a part of the image; docs/containers.md has it copied to the machine.
RULE, RULES = "/usr/share/polkit-1/rules.d/50-okaeri.rules", "/etc/polkit-1/rules.d/50-okaeri.rules"


def specification(image, user=USER, sees_bus=False):
    """Returns the OCI configuration that Docker makes of packaging/container/compose.yaml. Its runtime gives a temporary file system the mode
    of the image's folder, where crun takes 1777."""
    def temporary(path):
        return {"destination": path, "type": "tmpfs", "source": "tmpfs", "options": ["noexec", "nosuid", "nodev", "rprivate"]}

    def volume(path):
        source = f"{BUNDLE}{path}"
        os.makedirs(source, exist_ok=True)
        os.chown(source, user, 0)
        return {"destination": path, "type": "bind", "source": source, "options": ["rbind", "rw"]}

    bus = [{"destination": BUS, "type": "bind", "source": BUS, "options": ["rbind", "rw"]}] if sees_bus else []
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": user, "gid": user}, "args": [*image["Entrypoint"], *image["Cmd"]], "env": image["Env"], "cwd": "/",
            "capabilities": {"bounding": RIGHTS, "effective": RIGHTS, "permitted": RIGHTS, "inheritable": [], "ambient": []},
            "noNewPrivileges": False,
        },
        "root": {"path": f"{BUNDLE}/root", "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
            # Podman has one at /run for a read-only root. Docker makes the places of the mounts before the root is read-only.
            temporary("/run"), temporary("/run/okaeri"), temporary("/tmp"), volume("/etc/okaeri"), volume("/var/lib/okaeri"), *bus,
        ],
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]},
    }


def inside(*words, user=USER):
    """Runs a command in the container; returns its exit status and its output."""
    return finish(["runc", "exec", "--user", f"{user}:{user}", NAME, *words])


@contextlib.contextmanager
def running(folder, name, image, configuration, user=USER, sees_bus=False):
    """Runs the container with a configuration and new volumes."""
    shutil.rmtree(f"{BUNDLE}/var", ignore_errors=True)
    bundle = specification(image, user, sees_bus)
    for path in (f"{BUNDLE}/etc/okaeri/beacons.json", f"{BUNDLE}/config.json"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(bundle if path.endswith("config.json") else configuration, file)
    daemon = Process(folder, name, ["runc", "run", "--bundle", BUNDLE, NAME])
    try:
        wait_for("an answer", lambda: inside("okaeri", "status", "--json", user=user)[1].startswith("{"), within=60)
        yield daemon
    finally:
        if daemon.is_running:
            daemon.stop(signal.SIGKILL)
        run("runc", "delete", "--force", NAME, may_fail=True)


def ended(daemon):
    run("runc", "kill", NAME, "TERM")
    check(daemon.ended(within=5) == 0, f"the container did not end well: {daemon.said()[-800:]}")


def isolated(folder, image, controller):
    """With the network of the machine and two rights, and without the system bus."""
    hook = "/var/lib/okaeri/hook"
    arrival = ["sh", "-c", f"cat /proc/self/status >{hook}.new && mv {hook}.new {hook}"]
    with running(folder, "container", image, {"regions": [region(exitAfter=60, onEnter=arrival)]}) as daemon:
        wait_for("a daemon without Bluetooth", lambda: inside("okaeri", "status", "--nagios")[0] == 2, within=60)
        status, said = inside("okaeri", "bluetooth", "on", "--yes")
        check(status == 0, f"the container may not switch the adapter on: {said}")
        wait_for("home inside", lambda: inside("okaeri", "status", "--region", "home")[0] == 0, within=60)
        check(inside("sh", "-c", image["Healthcheck"]["Test"][1])[0] == 0, "the health check fails")
        status, said = inside("okaeri", "doctor")
        check("hci0 is up" in said and "CAP_NET_RAW is missing" not in said, f"doctor: {said}")
        check("systemctl" not in said and "sudo" not in said, f"doctor names commands that the container does not have: {said}")
        wait_for("the hook", lambda: os.path.exists(f"{BUNDLE}{hook}"), within=20)
        with open(f"{BUNDLE}{hook}", encoding="utf-8") as file:
            sets = [line.split()[1] for line in file if line.startswith(("CapPrm", "CapEff", "CapAmb"))]
        check(len(sets) == 3 and not any(int(one, 16) for one in sets), f"a hook has rights: {sets}")
        check(inside("touch", "/usr/file")[0] != 0, "the root can be written to")
        ended(daemon)
        wait_for("the end of the scan", lambda: not controller.is_scanning, within=5)


def joined(folder, name, image, user):
    """The container lists the devices of bluetoothd, and joins the Wi-Fi at the arrival, by the profile of NetworkManager."""
    home = region(exitAfter=60, wifi={"ssid": wifi.SSID, "join": "auto"})
    with running(folder, name, image, {"regions": [home]}, user, sees_bus=True) as daemon:
        wait_for("the home network", lambda: wifi.connected() == wifi.SSID, within=90)
        status, said = inside("okaeri", "doctor", user=user)
        check("NetworkManager: it runs" in said and "it is connected" in said, f"doctor as {user}: {said}")
        status, said = inside("okaeri", "devices", "--duration", "3", user=user)
        check(status == 0 and "didDiscoverPeripheral" in said, f"the devices of bluetoothd as {user}: {said}")
        ended(daemon)
    run("nmcli", "device", "disconnect", "wlan1")
    wait_for("no network", lambda: wifi.connected() is None, within=20)


def refused(folder, image):
    """The machine does not have the user of the container: the bus accepts no connection of it, and the messages say so."""
    home = region(exitAfter=60, wifi={"ssid": wifi.SSID, "join": "auto"})
    with running(folder, "unknown", image, {"regions": [home]}, sees_bus=True) as daemon:
        wait_for("home inside", lambda: inside("okaeri", "status", "--region", "home")[0] == 0, within=60)
        said = inside("okaeri", "doctor")[1]
        check("NetworkManager does not answer" in said and "mount its system bus" in said, f"doctor: {said}")
        status, said = inside("okaeri", "devices", "--duration", "3")
        check(status == 69 and "the system bus cannot be reached" in said, f"the devices of bluetoothd: {said}")
        check(wifi.connected() is None, "an unknown user may join")
        ended(daemon)


@contextlib.contextmanager
def known_user():
    """The machine has the user of the image, and the rule for it."""
    former = finish(["id", "-u", "okaeri"])
    words = ["--uid", str(USER), "okaeri"]
    run(*(["usermod", *words] if former[0] == 0 else ["useradd", "--no-create-home", "--shell", "/usr/sbin/nologin", *words]))
    shutil.copy(f"{BUNDLE}/root{RULE}", RULES)
    try:
        yield
    finally:
        os.remove(RULES)
        run(*(["usermod", "--uid", former[1].strip(), "okaeri"] if former[0] == 0 else ["userdel", "okaeri"]), may_fail=True)


@scenario(within=420)
def container(folder):
    """The container receives the beacon with the network of the machine and only two rights, which its hooks do not have; the root is
    read-only, and it ends at SIGTERM. With the system bus, it joins the Wi-Fi as root, and as its user once the machine has that."""
    controller = Controller(folder, is_up=False)
    controller.tell("start home")
    with open(CONFIGURATION, encoding="utf-8") as file:
        image = json.load(file)["Docker"]["config"]
    os.makedirs(f"{BUNDLE}/root", exist_ok=True)
    os.makedirs(f"{BUNDLE}/etc/okaeri", exist_ok=True)
    run("mount", "-o", "loop,ro", IMAGE, f"{BUNDLE}/root")
    try:
        isolated(folder, image, controller)
        wifi.AccessPoint(folder)
        wifi.save_profile()
        bluez.unmask()
        run("systemctl", "start", bluez.SERVICE)
        refused(folder, image)
        joined(folder, "root", image, user=0)
        with known_user():
            joined(folder, "known", image, user=USER)
    finally:
        run("umount", "--lazy", f"{BUNDLE}/root", may_fail=True)
