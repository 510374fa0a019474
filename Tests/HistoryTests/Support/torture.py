"""Kills okaeri with SIGKILL at random moments of a running replay and compares its output with its history.

Called by scripts/torture. Each life prints to a file. The complete lines in it, without ranging, must be the first events of
that life in the history: each printed event is there once, and the earlier events stay.
"""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Benchmarks"))
import captures

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
HOURS = 12

# A history of more events than this is replaced by a new one, because reading it after each life takes time.
LARGE = 20_000
CONFIGURATION = {
    "regions": [
        {"identifier": "home", "uuid": UUID, "exitAfter": 5, "ranging": True, "wifi": {"ssid": "HomeNet", "join": "auto"}}
    ]
}


def write_capture(path):
    """Writes a beacon that comes and goes three times a minute."""
    beacon = captures.Report(bytes([6, 5, 4, 3, 2, 1]), captures.ibeacon(uuid.UUID(UUID), 100, 100))
    start = 1_795_200_120  # 2026-11-20 18:42 UTC
    captures.write(path, (
        ((start + second) * 1_000_000, beacon.packet(-60 - second % 20))
        for second in range(HOURS * 3600)
        if second % 20 < 8))


def printed(path):
    """Returns the complete lines of the output, without ranging."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text[: text.rfind("\n") + 1].splitlines()
    return [line for line in lines if json.loads(line)["event"] != "didRangeBeacons"]


def live(command, output, seconds):
    """Runs okaeri for so long, or to its end. Returns whether it was killed."""
    with open(output, "wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def check(file):
    """Lets SQLite check the file."""
    with sqlite3.connect(file) as database:
        verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
    if verdict != "ok":
        sys.exit(f"torture: the database is damaged: {verdict}")


def main(okaeri, kills):
    seed = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
    random.seed(seed)
    print(f"torture: {kills} kills, SEED={seed}")
    with tempfile.TemporaryDirectory() as folder:
        capture, configuration, state = (f"{folder}/{name}" for name in ("capture", "beacons.json", "state"))
        write_capture(capture)
        with open(configuration, "w", encoding="utf-8") as file:
            json.dump(CONFIGURATION, file)
        common = ["--config", configuration, "--json", "--state-dir", state]
        commands = [
            [okaeri, "monitor", "--capture", capture, "--wifi", "simulated", "--socket", f"{folder}/socket",
             "--speed", "3000"],
            [okaeri, "replay", capture, "--speed", "3000"],
            [okaeri, "replay", capture],
        ]
        history, total, kept, killed, lives, generation = [], 0, 0, 0, 0, 0
        while killed < kills:
            command = commands[lives % len(commands)] + common
            lives += 1
            killed += live(command, f"{folder}/output", random.uniform(0, 2))
            lines = printed(f"{folder}/output")
            # Reads it as the next start would: with the log of the killed process.
            read = subprocess.run(
                [okaeri, "history", "--json", "--state-dir", state], capture_output=True, text=True, check=False)
            if read.returncode not in (0, 69) or (read.returncode == 69 and (history or lines)):
                sys.exit(f"torture: the history cannot be read after life {lives}: {read.stderr}")
            now = read.stdout.splitlines()
            if now[: len(history)] != history:
                sys.exit(f"torture: life {lives} changed what was there before")
            new = now[len(history) :]
            if new[: len(lines)] != lines:
                place = next((i for i, pair in enumerate(zip(new, lines)) if pair[0] != pair[1]), min(len(new), len(lines)))
                sys.exit(f"torture: life {lives}: line {place + 1} was printed as {lines[place]}, kept as {new[place:place+1]}")
            total += len(lines)
            kept += len(new)
            history = now
            if len(history) > LARGE:
                check(f"{state}/history.sqlite")
                generation += 1
                history, state = [], f"{folder}/state{generation}"
                common[-1:] = [state]
        if history:
            check(f"{state}/history.sqlite")
        print(f"torture: {killed} kills in {lives} lives; {total} printed events, all of them kept once, in order; "
              f"{kept} kept")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
