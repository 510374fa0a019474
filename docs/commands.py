#!/usr/bin/python3
"""Makes docs/commands.md from the program's own description of its commands: docs/commands.py PROGRAM [--write].

Without --write: fails if the page differs from the result.
"""
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "commands.md"
HEAD = """# Commands

`okaeri` without a command lists the missing steps of the set-up. `okaeri COMMAND --help` prints the text of this page about a command.

With `--json` a command prints objects, one a line, and nothing else on standard output. If it fails, the last one is
`{"error": "a sentence", "status": 69}`. `enroll` and `bluetooth on`, which ask on the terminal, have no `--json`.

Logs, progress and errors go to standard error. Colours are shown on a terminal only, and not if `NO_COLOR` is set.

## Exit statuses

The same for all commands; `status --nagios` has those of a plugin ([automation.md](automation.md#nagios-and-icinga)).

| status | meaning |
|---|---|
| 0 | done. `status`, `locate`: inside |
| 1 | refused, or no result. `status`, `locate`: outside. `doctor` and `okaeri` alone: a precondition is not met |
| 2 | `status`, `locate`: unknown |
| 3 | `status`: no daemon answers, or its answer is stale |
| 64 | wrong command line, or a name that does not exist |
| 65 | a damaged capture or backup, or a history that cannot be read |
| 69 | a part is missing: no daemon, no Bluetooth, no bus, no history |
| 74 | a file or standard output cannot be written, or a file that would be new is there already |
| 75 | `monitor`: the daemon ends to be started again, as a client of the broker has requested |
| 77 | no permission |
| 78 | the configuration does not load |

## Environment

| variable | meaning |
|---|---|
| `OKAERI_CONFIG` | the configuration, unless `--config` names it |
| `OKAERI_SOCKET` | the daemon's socket, unless `--socket` names it |
| `OKAERI_RESTARTED` | `yes`: outside systemd, the daemon is started again after it has ended with 75, so that Home Assistant has a button for that |
| `NO_COLOR` | if it is not empty: no colours |

## Files

| file | content |
|---|---|
| `/etc/okaeri/beacons.json` | the configuration: [configuration.md](configuration.md) |
| `/var/lib/okaeri` | the state and the history of the service |
| `/run/okaeri/okaeri.sock` | the API: HTTP, for members of the group `okaeri` |
| `/usr/share/doc/okaeri` | these pages, a dashboard for Grafana, alert rules for Prometheus |
"""


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def spelling(argument):
    """Returns an option with its value as it is written, or the name of an argument."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return value.upper() + (" …" if argument["isRepeating"] else "")
    names = ["-" * (2 if name["kind"] == "long" else 1) + name["name"] for name in argument["names"]]
    return ", ".join(sorted(names, key=len)) + (f" {value.upper()}" if argument["kind"] == "option" else "")


def describe(command, path):
    """Yields the lines about a command, and about those that it contains."""
    path = path + [command["commandName"]]
    own = [argument for argument in command.get("arguments", [])
           if argument["shouldDisplay"] and argument.get("preferredName", {}).get("name") not in ("help", "version")]
    contained = [c for c in command.get("subcommands", []) if c["commandName"] != "help"]
    if len(path) > 1:
        positional = [spelling(a) for a in own if a["kind"] == "positional"]
        yield f"### {' '.join(path + positional)}\n"
        yield command["abstract"] + "\n"
        if command.get("discussion"):
            yield command["discussion"].strip() + "\n"
        if own and not contained:
            rows = [f"| `{cell(spelling(a))}` | {cell(a.get('abstract', ''))} |" for a in own]
            yield "| option | |\n|---|---|\n" + "\n".join(rows) + "\n"
    for child in contained:
        yield from describe(child, path)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    if len(arguments) != 1:
        sys.exit("usage: docs/commands.py PROGRAM [--write]")
    dump = json.loads(subprocess.run([arguments[0], "--experimental-dump-help"], check=True, capture_output=True).stdout)
    text = HEAD + "\n## Commands\n\n" + "\n".join(describe(dump["command"], []))
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        sys.exit("docs: docs/commands.md is not made from the program; run docs/commands.py PROGRAM --write")


main()
