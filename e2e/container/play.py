"""Runs the container image with Podman, as packaging/container describes it: play.py IMAGE FOLDER QUADLET.

IMAGE is the archive of scripts/image, whose first layer is its base. FOLDER is for Podman's storage and the logs. QUADLET is Podman's
generator of services. podman-compose is beside this Python. The radio is a capture,
because this machine may have none; e2e/scenarios/container.py tests the image with a controller.
"""

import contextlib
import json
import os
import pathlib
import shlex
import socket
import sys
import tarfile
import time
import urllib.request

from runtime import COMMON, IMAGE, PATIENCE, QUICK, RESTRICTED, Podman, check, run, wait_for

TOP = pathlib.Path(__file__).resolve().parents[2]
# The size of the layers above the base, in bytes.
LARGEST = 60_000_000
# The user of the image.
USER = 10001
# CAP_NET_RAW and CAP_NET_ADMIN.
RIGHTS = (1 << 13) | (1 << 12)
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
COMPILERS = ("cc", "gcc", "clang", "ld", "swift", "swiftc")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Daemon:
    """A container whose daemon replays a capture, in which the region `home` stays inside."""

    def __init__(self, podman, folder, *options, image=IMAGE, state="state"):
        self.podman, self.name, self.port = podman, "okaeri", free_port()
        configuration = json.loads((TOP / "beacons.json").read_text())
        configuration["web"] = {"listen": f"127.0.0.1:{self.port}"}
        configured = pathlib.Path(folder) / "configured"
        configured.mkdir(exist_ok=True)
        (configured / "beacons.json").write_text(json.dumps(configuration))
        podman("run", "--detach", "--name", self.name, *COMMON, "--network", "host", *RESTRICTED, "--tmpfs", "/run/okaeri", "--init",
               "--volume", f"{configured}:/etc/okaeri:ro", "--volume", f"{state}:/var/lib/okaeri", *options, image, "monitor",
               "--capture", "/usr/share/okaeri/homecoming.btsnoop", "--speed", "1", "--wifi", "simulated", "--state-dir",
               "/var/lib/okaeri")
        wait_for("home inside", self.is_home)

    def log(self):
        return self.podman("logs", self.name, may_fail=True)[1]

    def inside(self, *words, **options):
        return self.podman("exec", self.name, *words, **options)

    def is_home(self):
        running = self.podman("inspect", "--format", "{{.State.Running}}", self.name).strip()
        check(running == "true", f"the container has ended: {self.log()[-1500:]}")
        return self.inside("okaeri", "status", "--region", "home", may_fail=True)[0] == 0

    def process(self):
        """Returns the fields of /proc/PID/status of the daemon. It is the process of the program with the lowest number."""
        numbers = self.inside("sh", "-c", "grep -lx okaeri /proc/[0-9]*/comm | sort -V | head -n 1").split("/")
        status = self.inside("cat", f"/proc/{numbers[2]}/status")
        return dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)

    def check_rights(self, user):
        """The daemon has exactly the rights of the container, and its hooks have none: no capability is ambient."""
        fields = self.process()
        sets = {name: int(fields[name], 16) for name in ("CapBnd", "CapPrm", "CapEff", "CapAmb")}
        check(sets == {"CapBnd": RIGHTS, "CapPrm": RIGHTS, "CapEff": RIGHTS, "CapAmb": 0}, f"the rights: {sets}")
        check(fields["Uid"].split()[0] == str(user), f"the user: {fields['Uid']}")

    def stop(self):
        """Stops it, and removes the container. The volumes stay."""
        began = time.monotonic()
        self.podman("stop", "--time", "30", self.name)
        took = time.monotonic() - began
        status = self.podman("inspect", "--format", "{{.State.ExitCode}}", self.name).strip()
        self.podman("rm", self.name)
        check(status == "0", f"the daemon ended with {status}")
        check(took < QUICK, f"the stop took {took:.1f} s")


@contextlib.contextmanager
def running(*words, **options):
    daemon = Daemon(*words, **options)
    try:
        yield daemon
    except BaseException:
        print(daemon.log()[-3000:], file=sys.stderr)
        raise


def size(archive):
    """Returns the size of the layers above the first one, and the configuration of the image."""
    with tarfile.open(archive) as image:
        manifest = json.load(image.extractfile("manifest.json"))[0]
        layers = [image.getmember(name) for name in manifest["Layers"]]
        # An archive links layers that are the same.
        layers = [image.getmember(layer.linkname) if layer.issym() else layer for layer in layers]
        return sum(layer.size for layer in layers[1:]), json.load(image.extractfile(manifest["Config"]))["config"]


def small(podman, folder, archive):
    """The layers above the base are small, without a compiler."""
    above, configuration = size(archive)
    check(above <= LARGEST, f"{above / 1e6:.1f} MB above the base, and {LARGEST / 1e6:.0f} are allowed")
    check(configuration["User"] == "okaeri", f"the user is {configuration['User']!r}")
    check("Healthcheck" in configuration, "there is no health check")
    found = podman.once("-c", f"command -v {' '.join(COMPILERS)}", options=["--entrypoint", "sh"], may_fail=True)[1]
    check(not found.strip(), f"a compiler: {found}")
    return f"{above / 1e6:.1f} MB"


def replay(podman, folder, archive):
    """A replay shows the arrival, as the user of the image and without any right."""
    options = ["--cap-drop", "all", "--read-only", "--volume", f"{TOP}/beacons.json:/etc/okaeri/beacons.json:ro"]
    said = podman.once("replay", "/usr/share/okaeri/homecoming.btsnoop", options=options)
    check("didEnterRegion" in said and "didExitRegion" in said, f"the replay: {said[-1500:]}")
    identity = podman.once("-u", options=["--entrypoint", "id"]).strip()
    check(identity == str(USER), f"the user is {identity}")


def setup(podman, folder, archive):
    """The set-up writes the configuration into its volume, and names the restart of the container; then the page is switched on."""
    options = [*RESTRICTED, "--tmpfs", "/run/okaeri", "--volume", "configured:/etc/okaeri"]
    said = podman.once("setup", "--beacon", f"{UUID}/100/100", "--identifier", "home", options=options)
    check("Start the container of the daemon, or restart it" in said and "systemctl" not in said, f"the set-up: {said}")
    said = podman.once("config", "check", options=options)
    check("home" in said, f"the configuration: {said}")
    podman.once("web", "on", "--lan", options=options, may_fail=True)
    written = podman.once("/etc/okaeri/beacons.json", options=[*options, "--entrypoint", "cat"])
    check('"web"' in written and UUID in written, f"the page is not switched on: {said}")


def whole(podman, folder, archive):
    """With two rights and a read-only root: region, page, health check, no right for hooks, and a quick end."""
    with running(podman, folder) as daemon:
        status, said = daemon.inside("touch", "/usr/file", may_fail=True)
        check(status != 0 and "Read-only" in said, f"the root can be written to: {said}")
        check(daemon.podman("healthcheck", "run", daemon.name, may_fail=True)[0] == 0, "the health check fails")
        with urllib.request.urlopen(f"http://127.0.0.1:{daemon.port}/", timeout=10) as page:
            check(page.status == 200 and b"Okaeri" in page.read(), "the page")
        daemon.check_rights(USER)
        # A health check without a daemon.
        healthy = podman.once("-c", "okaeri status --nagios; [ $? -ne 2 ]", options=["--entrypoint", "sh"], may_fail=True)[0]
        check(healthy != 0, "the health check passes without a daemon")
        daemon.stop()


def unhealthy(podman, folder, archive):
    """A daemon whose socket its user cannot open is not healthy, and neither is one that cannot write its state."""
    health = size(archive)[1]["Healthcheck"]["Test"][1]
    status, said = podman.once(
        "-c", health, options=[*RESTRICTED, "--entrypoint", "sh", "--tmpfs", "/run/okaeri:mode=0700"], may_fail=True)
    check(status == 1, f"the health check passes with a socket that cannot be opened: {said}")
    script = "okaeri monitor --capture /usr/share/okaeri/homecoming.btsnoop --speed 1 --wifi simulated --state-dir /var/lib/okaeri & " \
        f"until okaeri status --region home; do sleep 0.2; done; while {{ {health}; }}; do sleep 0.2; done"
    status, said = podman.once(
        str(PATIENCE), "sh", "-c", script, may_fail=True, options=[
            *RESTRICTED, "--entrypoint", "timeout", "--volume", f"{TOP}/beacons.json:/etc/okaeri/beacons.json:ro",
            "--tmpfs", "/run/okaeri", "--volume", "unwritable:/var/lib/okaeri:ro"])
    check(status == 0, f"the health check passes without a state: {said[-800:]}")


def restored(podman, folder, archive):
    """The backup of a container is restored as docs/containers.md shows it, and a file of another user is refused."""
    volumes = ["--volume", "restored-config:/etc/okaeri", "--volume", "restored-state:/var/lib/okaeri"]
    written = [*RESTRICTED, "--tmpfs", "/run/okaeri", *volumes]
    backup = pathlib.Path(folder) / "okaeri.tar"
    podman.once("setup", "--beacon", f"{UUID}/1/1", "--identifier", "kept", options=written)
    command = [*podman.words, "run", "--rm", "--no-healthcheck", *COMMON, *written, "--tmpfs", "/var/tmp", IMAGE, "backup", "-"]
    run("sh", "-c", 'file=$1 && shift && "$@" >"$file"', "sh", backup, *command)
    podman.once("setup", "--beacon", f"{UUID}/1/2", "--identifier", "later", options=written)
    options = ["--cap-drop", "all", *volumes, "--volume", f"{backup}:/okaeri.tar:ro"]
    os.chown(backup, 1000, 1000)
    status, said = podman.once("restore", "/okaeri.tar", "--yes", options=options, may_fail=True)
    check(status == 77 and "belongs to user 1000" in said, f"another user's file is restored: {said}")
    os.chown(backup, USER, USER)
    backup.chmod(0o600)
    podman.once("restore", "/okaeri.tar", "--yes", options=options)
    said = podman.once("config", "check", options=written)
    check("kept" in said and "later" not in said, f"the configuration: {said}")


def as_docker(podman, folder, archive):
    """Docker gives the user of an image no ambient capability: the daemon takes its rights from the file of the program. A container
    that lacks one of the rights, or all, starts the program, too."""
    for rights in ("+net_raw,+net_admin", "+net_raw", ""):
        options = ["--user", "0", "--entrypoint", "setpriv"]
        for right in ("SETUID", "SETGID", "SETPCAP", "NET_RAW", "NET_ADMIN"):
            options += ["--cap-add", right]
        words = ["--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all",
                 "--bounding-set=" + ",".join(filter(None, ["-all", rights]))]
        # The shell is a hook of the replay, and its parent is the program.
        script = "okaeri config example >/tmp/beacons.json && exec okaeri monitor --config /tmp/beacons.json --socket /tmp/socket " \
            "--state-dir /tmp/state --capture /usr/share/okaeri/homecoming.btsnoop --speed 1 & " \
            "until okaeri status --socket /tmp/socket >/dev/null 2>&1; [ $? -ne 3 ]; do sleep 0.2; done; cat /proc/$!/status"
        said = podman.once(*words, "sh", "-c", script, options=options)
        effective = int(next(line for line in said.splitlines() if line.startswith("CapEff:")).split()[1], 16)
        wanted = {"": 0, "+net_raw": 1 << 13}.get(rights, RIGHTS)
        check(effective == wanted, f"with {rights or 'no right'} the daemon has {effective:x}: {said[-800:]}")


def specification(root, volumes, user, arguments, environment):
    """Returns the OCI configuration that Docker makes of packaging/container/compose.yaml, with the network of this machine."""
    def temporary(path):
        return {"destination": path, "type": "tmpfs", "source": "tmpfs", "options": ["noexec", "nosuid", "nodev", "rprivate"]}

    def volume(path):
        return {"destination": path, "type": "bind", "source": str(volumes / path[1:]), "options": ["rbind", "rw"]}

    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": user[0], "gid": user[1]}, "args": arguments, "env": environment, "cwd": "/", "noNewPrivileges": False,
            "capabilities": {"bounding": ["CAP_NET_RAW", "CAP_NET_ADMIN"]},
        },
        "root": {"path": root, "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
            temporary("/run/okaeri"), temporary("/tmp"), volume("/etc/okaeri"), volume("/var/lib/okaeri"),
        ],
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]},
    }


def docker_mounts(podman, folder, archive):
    """runc gives a temporary file system the mode of the image's folder, and no owner. The user of the image and any other one reach the
    daemon there, and the container is healthy."""
    image = size(archive)[1]
    health = image["Healthcheck"]["Test"][1]
    # Its end is the exit status of the daemon.
    script = f"""okaeri monitor --capture /usr/share/okaeri/homecoming.btsnoop --speed 1 --wifi simulated & daemon=$!
        until okaeri status --region home; do kill -0 $daemon || exit; sleep 0.2; done
        okaeri web link && {{ {health}; }} || exit
        kill $daemon; wait $daemon"""
    root = podman("image", "mount", IMAGE).strip()
    for user in ((USER, USER), (12345, 0)):
        bundle = pathlib.Path(folder) / f"bundle-{user[0]}"
        for name in ("etc/okaeri", "var/lib/okaeri"):
            (bundle / name).mkdir(parents=True)
            os.chown(bundle / name, USER, 0)
            (bundle / name).chmod(0o770)
        configuration = {**json.loads((TOP / "beacons.json").read_text()), "web": {"listen": f"127.0.0.1:{free_port()}"}}
        (bundle / "etc/okaeri/beacons.json").write_text(json.dumps(configuration))
        (bundle / "config.json").write_text(
            json.dumps(specification(root, bundle, user, ["timeout", str(PATIENCE), "sh", "-c", script], image["Env"])))
        status, said = run("runc", "--root", f"{folder}/runc", "run", "--bundle", bundle, f"okaeri-{user[0]}", may_fail=True)
        check(status == 0, f"as {user[0]}:{user[1]} it ends with {status}: {said[-1500:]}")
    podman("image", "unmount", IMAGE)


def upgrade(podman, folder, archive):
    """A container of a newer image continues with the state in the volume."""
    def arrivals(daemon):
        events = map(json.loads, daemon.inside("okaeri", "history", "--json").splitlines())
        return [event for event in events if event["event"] == "didEnterRegion"]

    with running(podman, folder, state="kept") as daemon:
        wait_for("the state", lambda: '"inside"' in daemon.inside("cat", "/var/lib/okaeri/state.json", may_fail=True)[1])
        earlier = arrivals(daemon)
        check(earlier, "the history has no arrival")
        daemon.stop()
    # The layer stands for another version of the package.
    changed = podman("run", "--detach", "--no-healthcheck", "--user", "0", *COMMON, "--entrypoint", "touch", IMAGE, "/usr/share/newer").strip()
    podman("wait", changed)
    podman("commit", "--quiet", "--change", "USER okaeri", "--change", 'ENTRYPOINT ["okaeri"]', changed, "localhost/newer")
    podman("rm", changed)
    with running(podman, folder, image="localhost/newer", state="kept") as daemon:
        daemon.inside("test", "-e", "/usr/share/newer")
        missing = [event for event in earlier if event not in arrivals(daemon)]
        check(not missing, f"the history of the earlier container is lost: {missing}")
        restored = json.loads(daemon.inside("okaeri", "status", "--json", may_fail=True)[1])["kept"]["start"]
        daemon.stop()
    return f"the state is {restored}"


def unknown_user(podman, folder, archive):
    """A user that the image does not have, without new privileges: the daemon runs with its rights, and writes its state."""
    with running(podman, folder, "--user", "12345", "--security-opt", "no-new-privileges", state="unknown") as daemon:
        daemon.check_rights(12345)
        wait_for("the state", lambda: "12345" in daemon.inside("stat", "-c", "%u", "/var/lib/okaeri/state.json", may_fail=True)[1])
        daemon.stop()


def compose(podman, folder, archive):
    """The steps of docs/containers.md with Compose: the set-up in a container of its own, then the daemon, whose container is replaced."""
    words = [pathlib.Path(sys.executable).parent / "podman-compose", "--podman-args", shlex.join(podman.words[1:]), "--podman-run-args", shlex.join(COMMON),
             "--file", str(TOP / "packaging/container/compose.yaml")]
    run(*words, "run", "--rm", "-T", "okaeri", "setup", "--beacon", f"{UUID}/100/100", "--identifier", "keys")
    for _ in range(2):
        run(*words, "up", "--detach", "--no-build")
        try:
            # This machine may have no Bluetooth, and the region is then unknown.
            name = podman("ps", "--quiet", "--filter", "label=com.docker.compose.service=okaeri").strip()
            wait_for("the region", lambda: "keys" in podman("exec", name, "okaeri", "status", may_fail=True)[1])
            made = json.loads(podman("inspect", name))[0]
            host = made["HostConfig"]
            check(host["NetworkMode"] == "host" and host["ReadonlyRootfs"] and host["Init"], f"the container: {host}")
            check(set(made["EffectiveCaps"] or []) <= {"CAP_NET_ADMIN", "CAP_NET_RAW"} >= set(made["BoundingCaps"]),
                  f"the rights: {made['EffectiveCaps']}, {made['BoundingCaps']}")
            check({"/run/okaeri", "/tmp"} <= host["Tmpfs"].keys(), f"the memory: {host['Tmpfs']}")
            places = {mount["Destination"] for mount in made["Mounts"] if mount["Type"] == "volume"}
            check(places == {"/etc/okaeri", "/var/lib/okaeri"}, f"the volumes: {places}")
            check("TZ=Etc/UTC" in made["Config"]["Env"], "the time zone")
        finally:
            said = run(*words, "down", may_fail=True)[1]
        check(not podman("ps", "--all", "--quiet").strip(), f"a container is left: {said}")


def quadlet(podman, folder, archive):
    """The generator of Podman 5 makes a service of the quadlet, with the same container."""
    unit = run("env", f"QUADLET_UNIT_DIRS={TOP / 'packaging/container'}", podman.quadlet, "-dryrun")
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    start = shlex.split(lines["ExecStart"])
    pairs = [f"{one} {other}" for one, other in zip(start, start[1:])]
    for wanted in ("--name okaeri", "--network host", "--cap-drop all", "--cap-add net_raw", "--cap-add net_admin",
                   "--security-opt no-new-privileges", "-v okaeri-config:/etc/okaeri", "-v okaeri-state:/var/lib/okaeri",
                   "--tmpfs /run/okaeri"):
        check(wanted in pairs or wanted.replace("-v ", "--volume ") in pairs or wanted.replace(" ", "=", 1) in start,
              f"{wanted} is missing: {lines['ExecStart']}")
    for wanted in ("--init", "--read-only", "--rm"):
        check(wanted in start or f"{wanted}=true" in start, f"{wanted} is missing: {lines['ExecStart']}")
    check(start[-1] == IMAGE, f"the image: {start[-1]}")
    check(not any(word.startswith(("--privileged", "--user", "--userns")) for word in start), f"more rights: {lines['ExecStart']}")
    check(lines["Restart"] == "on-failure" and lines["RestartPreventExitStatus"] == "64 78", "the restart")
    check(lines["Type"] == "notify" and lines["WantedBy"] == "multi-user.target", f"the service: {unit}")


STAGES = (small, replay, setup, whole, as_docker, docker_mounts, unhealthy, restored, upgrade, unknown_user, compose, quadlet)


def main():
    archive, folder, generator = sys.argv[1:]
    os.makedirs(folder)
    podman = Podman(folder)
    podman.quadlet = generator
    podman("load", "--quiet", "--input", archive)
    failed = 0
    for stage in STAGES:
        began = time.monotonic()
        try:
            note = stage(podman, folder, archive) or ""
            print(f"ok    {stage.__name__:<16} {time.monotonic() - began:6.1f} s  {note}", flush=True)
        except Exception as error:  # any exception fails the stage
            failed += 1
            print(f"FAIL  {stage.__name__:<16} {time.monotonic() - began:6.1f} s  {error}", flush=True)
            podman("rm", "--force", "--all", may_fail=True)
    print(f"{len(STAGES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
