#!/usr/bin/python3
"""Gives examples of docs to the programs that they are written for: docs/programs.py OKAERI. nginx serves the page of a daemon, Nagios
and Icinga 2 load their objects and run the plugin, and systemd checks the units."""
import getpass
import grp
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time

DOCS = pathlib.Path(__file__).resolve().parent
TOP = DOCS.parent
HOST = "okaeri.example.org"
# The plugin's words by its exit status.
PLUGIN = {0: "OKAERI OK", 1: "OKAERI WARNING", 2: "OKAERI CRITICAL", 3: "OKAERI UNKNOWN"}


def blocks(page):
    """Yields the indented blocks of a page."""
    for block in re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", (DOCS / page).read_text(), re.MULTILINE):
        yield re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip() + "\n"


def parts(page):
    """Returns the parts of the blocks that begin with a comment, by that comment."""
    found = {}
    for block in blocks(page):
        for part in re.split(r"\n\n(?=# )", block):
            first, _, rest = part.partition("\n")
            if first.startswith("# "):
                found[first[2:]] = rest.strip() + "\n"
    return found


def part(page, beginning):
    """Returns the one part of a page whose comment begins with these words."""
    found = [text for comment, text in parts(page).items() if comment.startswith(beginning)]
    if len(found) != 1:
        sys.exit(f"docs: {page} has {len(found)} examples \"# {beginning}\"")
    return found[0]


def changed(text, *changes):
    for old, new in changes:
        if old not in text:
            sys.exit(f"docs: an example does not contain {old!r} any more")
        text = text.replace(old, new)
    return text


def run(*words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return done.returncode, done.stdout


def check(*words):
    status, said = run(*words)
    if status != 0:
        sys.exit(f"docs: `{' '.join(words)}` ended with {status}:\n{said}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(what, attempt, seconds=30):
    end = time.monotonic() + seconds
    while True:
        try:
            return attempt()
        except OSError as error:
            if time.monotonic() > end:
                sys.exit(f"docs: {what}: {error}")
            time.sleep(0.1)


def user():
    """Returns the user and the group of this process: monitoring systems otherwise change to their own."""
    return getpass.getuser(), grp.getgrgid(os.getegid()).gr_name


class Daemon:
    """A daemon over the capture of the demonstration, whose region `home` stays inside, with a page."""

    def __init__(self, okaeri, folder):
        self.port = free_port()
        self.socket = folder / "okaeri.sock"
        configuration = json.loads((TOP / "beacons.json").read_text())
        configuration["web"] = {"listen": f"127.0.0.1:{self.port}", "hosts": [HOST]}
        (folder / "beacons.json").write_text(json.dumps(configuration))
        self.process = subprocess.Popen(
            [okaeri, "monitor", "--config", folder / "beacons.json", "--socket", self.socket, "--state-dir", folder / "state",
             "--capture", TOP / "Demo/homecoming.btsnoop", "--speed", "1", "--wifi", "simulated"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("the page does not listen", lambda: socket.create_connection(("127.0.0.1", self.port)).close())

    def end(self):
        self.process.terminate()
        self.process.wait()


def nginx(folder, daemon):
    """The page through the proxy: for its own name, with the login that a request of a proxy needs, and for no other name."""
    check("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={HOST}",
          "-keyout", str(folder / "key"), "-out", str(folder / "certificate"))
    port = free_port()
    server = changed(
        part("page.md", "/etc/nginx/"), ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/okaeri.pem", str(folder / "certificate")), ("/etc/ssl/private/okaeri.key", str(folder / "key")),
        ("http://127.0.0.1:8080", f"http://127.0.0.1:{daemon.port}"))
    paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    file = folder / "nginx.conf"
    file.write_text(f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\nhttp {{ access_log off; {paths}\n{server}}}\n")
    check("/usr/sbin/nginx", "-t", "-q", "-c", str(file))
    with subprocess.Popen(["/usr/sbin/nginx", "-c", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as proxy:
        try:
            def ask(path, host=HOST):
                unchecked = ssl._create_unverified_context()
                connection = http.client.HTTPSConnection("127.0.0.1", port, context=unchecked, timeout=10)
                connection.request("GET", path, headers={"Host": host})
                return connection.getresponse().status

            statuses = (until("nginx does not listen", lambda: ask("/")), ask("/v1/status"), ask("/", "evil.example"))
            if statuses != (200, 401, 421):
                sys.exit(f"docs: through nginx the page, its status and another name answer {statuses}, not (200, 401, 421)")
        finally:
            proxy.terminate()


def plugin(words, okaeri, daemon):
    """Runs the command of a plugin, as the monitoring system does."""
    words = [okaeri if word == "/usr/bin/okaeri" else word for word in words] + ["--socket", str(daemon.socket)]
    status, said = run(*words)
    if not said.startswith(PLUGIN.get(status, "?")) or status not in (0, 1, 3):
        sys.exit(f"docs: `{' '.join(words)}` ended with {status}: {said}")


def nagios(folder, okaeri, daemon):
    objects = part("automation.md", "Nagios")
    (folder / "okaeri.cfg").write_text(objects)
    (folder / "templates.cfg").write_text(
        "define timeperiod {\n timeperiod_name always\n alias always\n monday 00:00-24:00\n}\n"
        "define command {\n command_name alive\n command_line /bin/true\n}\n"
        "define contact {\n contact_name pi\n host_notification_period always\n service_notification_period always\n"
        " host_notification_commands alive\n service_notification_commands alive\n}\n"
        "define host {\n host_name localhost\n address 127.0.0.1\n max_check_attempts 3\n check_command alive\n contacts pi\n"
        " check_period always\n notification_period always\n}\n"
        "define service {\n name generic-service\n register 0\n max_check_attempts 3\n check_period always\n contacts pi\n"
        " notification_period always\n}\n")
    file = folder / "nagios.cfg"
    file.write_text(
        "".join(f"{kind}={folder}/{kind}\n" for kind in ("log_file", "command_file", "object_cache_file", "status_file", "lock_file"))
        + f"check_result_path={folder}\ncfg_file={folder}/templates.cfg\ncfg_file={folder}/okaeri.cfg\n"
        f"nagios_user={user()[0]}\nnagios_group={user()[1]}\n"
        f"illegal_macro_output_chars=$\nstate_retention_file={folder}/retention\n")
    check("/usr/sbin/nagios4", "-v", str(file))
    line = re.search(r"command_line +(.*)", objects)[1]
    argument = re.search(r"check_command +check_okaeri!(\S+)", objects)[1]
    plugin(line.replace("$ARG1$", argument).split(), okaeri, daemon)


def icinga(folder, okaeri, daemon):
    objects = part("automation.md", "Icinga 2")
    file = folder / "icinga2.conf"
    file.write_text(
        'const NodeName = "pi"\nobject CheckCommand "alive" { command = [ "/bin/true" ] }\n'
        'template Service "generic-service" { max_check_attempts = 3 }\n'
        f'object Host NodeName {{ check_command = "alive" }}\n{objects}')
    status, said = run(
        "/usr/sbin/icinga2", "daemon", "-C", "-c", str(file), "-D", f"CacheDir={folder}", "-D", f"LogDir={folder}",
        env={**os.environ, "ICINGA2_USER": user()[0], "ICINGA2_GROUP": user()[1]})
    if status != 0 or "Instantiated 1 Service" not in said:
        sys.exit(f"docs: Icinga 2 ended with {status}:\n{said}")
    command = json.loads(re.search(r"command = (\[.*\])", objects)[1])
    region = re.search(r'vars.okaeri_region = "(.*)"', objects)[1]
    plugin(command + ["--region", region], okaeri, daemon)


def units(folder):
    """The units of the page, with a program that this machine has."""
    found = {name: text for name, text in parts("automation.md").items() if name.startswith("/etc/systemd/system/")}
    if len(found) != 2:
        sys.exit(f"docs: automation.md has {len(found)} units")
    files = []
    for comment, text in found.items():
        file = folder / re.match(r"/etc/systemd/system/([\w.]+)", comment)[1]
        file.write_text(re.sub(r"^(Exec\w+=)\S+", r"\g<1>/bin/true", text, flags=re.MULTILINE))
        files.append(str(file))
    # A key that systemd does not know is only named.
    status, said = run("systemd-analyze", "verify", "--man=no", *files)
    if status != 0 or str(folder) in said:
        sys.exit(f"docs: systemd-analyze ended with {status}:\n{said}")


def main():
    okaeri = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        daemon = Daemon(okaeri, folder)
        try:
            nginx(folder, daemon)
            nagios(folder, okaeri, daemon)
            icinga(folder, okaeri, daemon)
        finally:
            daemon.end()
        units(folder)


main()
