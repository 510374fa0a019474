"""Tests the container image with a real broker and a real Home Assistant: contained.py ROOT IMAGE FOLDER. Prints each step when it has
passed.

The container is that of packaging/container: its network is the machine's, its root is read-only, its state is in a volume. A capture
stands for its radio, because this machine may have none.
"""

import contextlib
import json
import pathlib
import signal
import subprocess
import sys

from house import HERE, Failure, House, wait_for
from play import end_well, expect_events, one_node

# Behind those of this folder, which has a play.py, too.
sys.path.append(str(HERE.parent / "container"))
from runtime import COMMON, IMAGE, QUICK, RESTRICTED, Podman


class ContainerHouse(House):
    """A house whose nodes are containers. Their volumes outlive them."""

    def __init__(self, root, archive, folder):
        super().__init__(root, "okaeri", folder)
        self.podman = Podman(self.folder / "podman")
        self.podman("load", "--quiet", "--input", archive)

    def node(self, name, **members):
        configuration = {
            "regions": [{**self.keys, "wifi": {"ssid": "HomeNet"}}], "node": {"name": name, "room": name},
            "mqtt": {"host": "127.0.0.1", "port": self.mqtt}, **members}
        folder = self.folder / f"{name}.etc"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        (folder / "beacons.json").write_text(json.dumps(configuration), encoding="utf-8")
        with open(self.folder / f"{name}.log", "ab") as log:
            air = subprocess.Popen(["python3", HERE / "air.py", self.folder / f"{name}.rssi"], stdout=subprocess.PIPE, stderr=log)
            self.running[name] = subprocess.Popen(
                [*self.podman.words, "run", "--rm", "--interactive", "--no-healthcheck", "--name", name, *COMMON, "--network", "host",
                 *RESTRICTED, "--tmpfs", "/run/okaeri", "--init", "--volume", f"{folder}:/etc/okaeri:ro",
                 "--volume", f"{name}:/var/lib/okaeri", IMAGE, "monitor", "--capture", "-", "--wifi", "simulated", "--state-dir",
                 "/var/lib/okaeri", "--json"], stdin=air.stdout, stdout=log, stderr=log)
            air.stdout.close()

    def okaeri(self, node, *arguments):
        return subprocess.run([*self.podman.words, "exec", node, "okaeri", *arguments], capture_output=True, text=True, check=False, timeout=60)

    def end(self, name, number=signal.SIGKILL):
        """Ends a program and its children. A signal to the runtime's command would leave the container."""
        if self.podman("container", "exists", name, may_fail=True)[0] != 0:
            return super().end(name, number)
        if number == signal.SIGKILL:
            self.podman("kill", "--signal", "KILL", name)
        else:
            self.podman("stop", "--time", "30", name)
        status = self.running.pop(name).wait(timeout=60)
        if number != signal.SIGKILL and status != 0:
            raise Failure(f"the container {name} ended with {status}")

    def close(self):
        super().close()
        self.podman("rm", "--force", "--all", may_fail=True)


def stopped(house):
    """The container is stopped and started, as for an upgrade of its image: it continues with the state in its volume."""
    before, state = house.events(), json.loads(house.okaeri("hall", "status", "--json").stdout)
    house.end("hall", signal.SIGTERM)
    house.expect(QUICK, device_tracker__okaeri_keys="unavailable", binary_sensor__okaeri_hall_connected="off")
    yield "the container is stopped"
    house.node("hall")
    house.expect(60, device_tracker__okaeri_keys="home", binary_sensor__okaeri_hall_connected="on", sensor__okaeri_keys_room="hall")
    expect_events(house, *before)
    start = json.loads(house.okaeri("hall", "status", "--json").stdout)["kept"]["start"]
    if start != "restored":
        raise Failure(f"the state is {start}, and was {state['kept']}")
    yield "it is started, and continues with the state in its volume"
    house.hear(hall=None)
    house.expect(40, device_tracker__okaeri_keys="not_home")
    expect_events(house, *before, "exit")
    house.end("hall", signal.SIGTERM)
    house.node("hall")
    house.expect(60, device_tracker__okaeri_keys="not_home", binary_sensor__okaeri_hall_connected="on")
    expect_events(house, *before, "exit")
    yield "it is restarted while the beacon is away"


def main():
    with contextlib.closing(ContainerHouse(*sys.argv[1:])) as house:
        return end_well(house, one_node, stopped)


if __name__ == "__main__":
    sys.exit(main())
