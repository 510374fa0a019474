#!/usr/bin/env python3
"""Checks the folder of the app against the published rules for apps of Home Assistant, and against this program: description.py FOLDER.

The rules are those of developers.home-assistant.io (App configuration, App presentation, App repository) and of the Supervisor
2026.08, which reads the files. Prints each mistake.
"""

import pathlib
import re
import struct
import sys

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
TYPE = re.compile(
    r"(bool|email|url|port|device(\(subsystem=[a-z]+\))?|(str|password)(\(\d*,\d*\))?|int(\(-?\d*,-?\d*\))?"
    r"|float(\(-?[\d.]*,-?[\d.]*\))?|match\(.*\)|list\(.+\))\??")
CAPABILITIES = {
    "BPF", "CHECKPOINT_RESTORE", "DAC_READ_SEARCH", "IPC_LOCK", "NET_ADMIN", "NET_RAW", "PERFMON", "SYS_ADMIN", "SYS_MODULE",
    "SYS_NICE", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME"}
FOLDERS = {"homeassistant_config", "addon_config", "app_config", "ssl", "addons", "backup", "share", "media", "all_addon_configs", "data"}
# A list has one type, that of its elements.
kind_of = lambda one: str(one[0] if isinstance(one, list) and len(one) == 1 else one)
flag = lambda value: isinstance(value, bool)
text = lambda value: isinstance(value, str) and value.strip() == value != ""
one_of = lambda *values: lambda value: value in values
match = lambda pattern: lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None
each = lambda rule: lambda value: isinstance(value, list) and value != [] and all(map(rule, value))
VERSION = match(r"\d+\.\d+\.\d+")
# The keys that this app uses. A key that is not here is a mistake: the Supervisor would ignore one that is misspelt.
REQUIRED = {
    "name": text, "version": VERSION, "slug": match(r"[-_.A-Za-z0-9]+"), "description": text, "arch": each(one_of("aarch64", "amd64")),
}
OPTIONAL = {
    "stage": one_of("stable", "experimental", "deprecated"), "homeassistant": VERSION,
    "startup": one_of("initialize", "system", "services", "application", "once"), "backup": one_of("hot", "cold"),
    "timeout": lambda value: isinstance(value, int) and 10 <= value <= 300, "host_network": flag, "host_dbus": flag,
    "privileged": each(CAPABILITIES.__contains__), "services": each(match(r"(mqtt|mysql):(provide|want|need)")),
    "map": each(lambda one: isinstance(one, dict) and one.keys() <= {"type", "read_only", "path"} and one["type"] in FOLDERS
                and flag(one.get("read_only", True))),
    "ingress": flag, "ingress_port": lambda value: isinstance(value, int) and 0 <= value <= 65535,
    "panel_icon": match(r"mdi:[a-z0-9-]+"), "panel_admin": flag, "options": lambda value: isinstance(value, dict),
    "schema": lambda value: isinstance(value, dict) and all(TYPE.fullmatch(kind_of(one)) for one in value.values()),
}


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def description_mistakes(app):
    config = read(app / "config.yaml")
    rules = {**REQUIRED, **OPTIONAL}
    for key in REQUIRED.keys() - config.keys():
        yield f"config.yaml: {key} is missing"
    for key, value in config.items():
        if key not in rules:
            yield f"config.yaml: {key} is not a key of the published description"
        elif not rules[key](value):
            yield f"config.yaml: {key} is {value!r}"
    schema, options = config.get("schema", {}), config.get("options", {})
    for key, kind in ((key, kind_of(kind)) for key, kind in schema.items()):
        # The Supervisor starts no app with an option that is missing, unless it is optional.
        if (key in options) == kind.endswith("?"):
            yield f"config.yaml: {key} needs either a default value, or the mark of an optional one"
        pattern = re.fullmatch(r"match\((.*)\)\??", kind)
        if pattern and key in options and not re.search(pattern[1], options[key]):
            yield f"config.yaml: the default value of {key} is not valid"
    for key in options.keys() - schema.keys():
        yield f"config.yaml: the option {key} has no type"
    version = re.match(r"okaeri \((\S+?)\)", (TOP / "debian/changelog").read_text())[1]
    if config.get("version") != version:
        yield f"config.yaml: the version is not {version}, which debian/changelog has"
    if f"\n## {version}\n" not in (app / "CHANGELOG.md").read_text():
        yield f"CHANGELOG.md: {version} is missing"
    for language in ("en", "ja"):
        translated = read(app / f"translations/{language}.yaml")
        if translated.keys() != {"configuration"} or translated["configuration"].keys() != schema.keys():
            yield f"translations/{language}.yaml: its options are not those of config.yaml"
        for key, one in translated["configuration"].items():
            if one.keys() != {"name", "description"} or not all(map(text, one.values())):
                yield f"translations/{language}.yaml: {key} needs a name and a description"


def file_mistakes(folder, app):
    repository = read(folder / "repository.yaml")
    if not text(repository.get("name")) or not repository.keys() <= {"name", "url", "maintainer"}:
        yield "repository.yaml: it needs a name, and takes url and maintainer beside it"
    for name, fits in (("icon.png", lambda w, h: w == h == 128), ("logo.png", lambda w, h: w <= 250 and h <= 100)):
        head = (app / name).read_bytes()[:24]
        if not head.startswith(b"\x89PNG\r\n\x1a\n") or not fits(*struct.unpack(">II", head[16:24])):
            yield f"{name}: not a PNG of the recommended size"
    for name in ("README.md", "DOCS.md", "Dockerfile", "run.sh", "answer.jq", "configuration.jq", "secrets.jq"):
        if not (app / name).is_file():
            yield f"{name} is missing"
    # The Supervisor searches the repository for this name, and takes each for an app.
    if [*folder.rglob("config.yaml")] != [app / "config.yaml"] or any(folder.rglob("config.json")):
        yield "the repository has another file of the name config"


def main():
    folder = pathlib.Path(sys.argv[1])
    app = folder / "okaeri"
    mistakes = [*description_mistakes(app), *file_mistakes(folder, app)]
    print(*mistakes, sep="\n", end="\n" if mistakes else "")
    sys.exit(bool(mistakes))


if __name__ == "__main__":
    main()
