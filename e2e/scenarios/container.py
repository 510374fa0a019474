"""The container image in a real runtime, with the network of the machine and two rights. scripts/image --check tests the rest without a
controller."""

import json
import os
import signal

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


def specification(image):
    """Returns the OCI configuration of a container as packaging/container/compose.yaml describes it."""
    def temporary(path):
        return {"destination": path, "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]}

    def volume(path):
        source = f"{BUNDLE}{path}"
        os.makedirs(source, exist_ok=True)
        os.chown(source, USER, 0)
        return {"destination": path, "type": "bind", "source": source, "options": ["rbind", "rw"]}

    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": USER, "gid": USER}, "args": [*image["Entrypoint"], *image["Cmd"]], "env": image["Env"], "cwd": "/",
            "capabilities": {"bounding": RIGHTS, "effective": RIGHTS, "permitted": RIGHTS, "inheritable": [], "ambient": []},
            "noNewPrivileges": False,
        },
        "root": {"path": f"{BUNDLE}/root", "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
            temporary("/run/okaeri"), temporary("/tmp"), volume("/etc/okaeri"), volume("/var/lib/okaeri"),
        ],
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]},
    }


def inside(*words):
    """Runs a command in the container; returns its exit status and its output."""
    return finish(["crun", "exec", "--user", f"{USER}:{USER}", NAME, *words])


@scenario(within=240)
def container(folder):
    """The container receives the beacon with the network of the machine and only two rights, which its hooks do not have; the root is
    read-only, and it ends at SIGTERM."""
    controller = Controller(folder, is_up=False)
    controller.tell("start home")
    with open(CONFIGURATION, encoding="utf-8") as file:
        image = json.load(file)["Docker"]["config"]
    os.makedirs(f"{BUNDLE}/root", exist_ok=True)
    run("mount", "-o", "loop,ro", IMAGE, f"{BUNDLE}/root")
    try:
        bundle = specification(image)
        hook = "/var/lib/okaeri/hook"
        with open(f"{BUNDLE}/etc/okaeri/beacons.json", "w", encoding="utf-8") as file:
            arrival = ["sh", "-c", f"cat /proc/self/status >{hook}.new && mv {hook}.new {hook}"]
            json.dump({"regions": [region(exitAfter=60, onEnter=arrival)]}, file)
        with open(f"{BUNDLE}/config.json", "w", encoding="utf-8") as file:
            json.dump(bundle, file)
        daemon = Process(folder, "container", ["crun", "run", "--bundle", BUNDLE, NAME])
        try:
            wait_for("a daemon without Bluetooth", lambda: inside("okaeri", "status", "--nagios")[0] == 2, within=60)
            status, said = inside("okaeri", "bluetooth", "on", "--yes")
            check(status == 0, f"the container may not switch the adapter on: {said}")
            wait_for("home inside", lambda: inside("okaeri", "status", "--region", "home")[0] == 0, within=60)
            check(inside("sh", "-c", image["Healthcheck"]["Test"][1])[0] == 0, "the health check fails")
            status, said = inside("okaeri", "doctor")
            check("hci0 is up" in said and "CAP_NET_RAW is missing" not in said, f"doctor: {said}")
            wait_for("the hook", lambda: os.path.exists(f"{BUNDLE}{hook}"), within=20)
            with open(f"{BUNDLE}{hook}", encoding="utf-8") as file:
                sets = [line.split()[1] for line in file if line.startswith(("CapPrm", "CapEff", "CapAmb"))]
            check(len(sets) == 3 and not any(int(one, 16) for one in sets), f"a hook has rights: {sets}")
            check(inside("touch", "/usr/file")[0] != 0, "the root can be written to")
            run("crun", "kill", NAME, "TERM")
            check(daemon.ended(within=5) == 0, f"the container did not end well: {daemon.said()[-800:]}")
            wait_for("the end of the scan", lambda: not controller.is_scanning, within=5)
        finally:
            if daemon.is_running:
                daemon.stop(signal.SIGKILL)
            run("crun", "delete", "--force", NAME, may_fail=True)
    finally:
        run("umount", "--lazy", f"{BUNDLE}/root", may_fail=True)
