"""Attacks on the files that commands read and write: pipes, exchanged folders, invented backups."""

import json
import os
import signal
import subprocess
import tarfile
import time
import zlib
from io import BytesIO

from attack import registry
from target import Failure, wait_for

ATTACKS, attack = registry()


def run(surface, *arguments, within=60):
    """Runs a command to its end, in the folder of the attack."""
    home = {"HOME": str(surface.target.folder), "PATH": "/usr/bin:/bin"}
    try:
        return subprocess.run(
            [surface.target.program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, timeout=within, env=home)
    except subprocess.TimeoutExpired:
        raise Failure(f"okaeri {arguments[0]} does not end") from None


def crc(content):
    return f"{zlib.crc32(content):08X}"


def invented(path, configuration, secrets):
    """Writes a backup with these files: `secrets` has contents by paths."""
    contents = {"beacons.json": json.dumps(configuration).encode()}
    entries = [{"name": "beacons.json", "size": len(contents["beacons.json"]), "checksum": crc(contents["beacons.json"])}]
    for number, (place, content) in enumerate(secrets.items(), start=1):
        contents[f"secret-{number}"] = content
        entries.append({"name": f"secret-{number}", "size": len(content), "checksum": crc(content), "path": str(place)})
    line = json.dumps(
        {"format": 1, "version": "0.1.0", "node": "attic", "time": "2026-11-25T15:00:00Z", "files": entries}).encode()
    contents = {"manifest": line + f"\n{crc(line)}\n".encode(), **contents}
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in contents.items():
            header = tarfile.TarInfo(name)
            header.size, header.mode, header.uname, header.gname = len(content), 0o600, "root", "root"
            archive.addfile(header, BytesIO(content))
    # The end is two blocks of zeros, and not a multiple of twenty blocks.
    size = sum(512 + (len(content) + 511) // 512 * 512 for content in contents.values())
    os.truncate(path, size + 1024)
    os.chmod(path, 0o600)


@attack()
def pipes_as_files(surface):
    """A pipe in the place of the history while the daemon runs. No command waits for it, and the daemon stops."""
    state = surface.target.folder / "state"
    wait_for("the history", 20, (state / "history.sqlite").exists)
    for name in ("history.sqlite", "history.sqlite-wal", "history.sqlite-shm"):
        (state / name).unlink(missing_ok=True)
        os.mkfifo(state / name)
    place = ("--state-dir", state)
    config = ("--config", surface.target.folder / "beacons.json")
    for command in (("history", *place), ("plot", *place), ("backup", surface.target.folder / "b.tar", *config, *place)):
        outcome = run(surface, *command)
        if outcome.returncode != 74 or "is not a regular file" not in outcome.stderr:
            raise Failure(f"okaeri {command[0]} ends with {outcome.returncode}: {outcome.stderr}")


@attack()
def exchanged_folders(surface):
    """The folder of a backup is replaced by a link again and again, and the backup is ended. The file of the other folder stays."""
    folder = surface.target.folder
    (folder / "victim").mkdir()
    victim = folder / "victim" / "b.tar"
    victim.write_text("precious", encoding="utf-8")
    end = time.monotonic() + surface.seconds
    turn = 0
    while time.monotonic() < end:
        turn += 1
        out = folder / f"out-{turn}"
        out.mkdir()
        process = subprocess.Popen(
            [surface.target.program, "backup", out / "b.tar", "--config", folder / "beacons.json", "--state-dir",
             folder / "state"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (out / "b.tar").exists() and process.poll() is None:
            pass
        out.rename(folder / f"moved-{turn}")
        out.symlink_to("victim")
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure("okaeri backup does not end") from None
        if not victim.exists() or victim.read_text(encoding="utf-8") != "precious":
            raise Failure("another file was removed or written")


@attack()
def invented_backups(surface):
    """A backup that names files which log a user in or run commands, a former file, and a command."""
    home = surface.target.folder / "home"
    names = [".ssh/authorized_keys", ".bashrc", ".config/autostart/x.desktop", "cron.d/x", "beacons.json.bak", "crontab"]
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("former", encoding="utf-8")
    (home / "beacons.json.bak").unlink()
    region = {"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}
    backup = surface.target.folder / "invented.tar"
    place = ("--yes", "--allow-servers", "--config", home / "beacons.json", "--state-dir", home / "state")
    for name in names:
        invented(backup, {"mqtt": {"host": "h", "tls": {"ca": str(home / name)}}, "regions": [region]}, {home / name: b"attack"})
        outcome = run(surface, "restore", backup, *place)
        if outcome.returncode != 0 or "is left out" not in outcome.stdout:
            raise Failure(f"okaeri restore ends with {outcome.returncode}: {outcome.stdout}{outcome.stderr}")
        if any(path.read_bytes() == b"attack" for path in home.rglob("*") if path.is_file()):
            raise Failure(f"{name} is written")
    invented(backup, {"regions": [{**region, "onEnter": ["/bin/attack"]}]}, {})
    outcome = run(surface, "restore", backup, *place)
    if outcome.returncode != 64 or "/bin/attack" not in outcome.stderr:
        raise Failure(f"a command is not refused: {outcome.returncode} {outcome.stdout}{outcome.stderr}")
