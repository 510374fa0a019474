"""The apt repositories that the host has made, behind a web server, and apt as a person uses it."""

import functools
import glob
import http.server
import os
import shutil
import threading
import time

from .processes import run

MADE = "/mnt/host/repositories"
SERVED = "/run/repository"
# What e2e/repository wrote into them.
PORT = 8099
SOURCES = "/etc/apt/sources.list.d/okaeri.sources"
# The machine reaches none of Debian's servers, which its own list names.
ONLY_OURS = ("-o", "Dir::Etc::SourceList=/dev/null")
SUITE = run("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Says nothing: what apt has asked for, it tells itself."""

    def log_message(self, *_):
        pass


class Repository:
    """A web server with a repository, until the scenario ends. What apt says is kept in its folder: apt.out."""

    def __init__(self, folder, name):
        self.output = f"{folder}/apt.out"
        self.forget()
        self.serve(name)
        handler = functools.partial(Handler, directory=SERVED)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # README's first command: the file that names the repository and its key.
        shutil.copy(f"{SERVED}/{SUITE}/okaeri.sources", SOURCES)

    def serve(self, name):
        """From now on it is the one of that name: `before`, `now` or `foreign`. A copy, to be spoiled."""
        shutil.rmtree(SERVED, ignore_errors=True)
        # With the time of now: apt asks whether something is newer than when it last asked.
        shutil.copytree(f"{MADE}/{name}", SERVED, copy_function=shutil.copy)

    def apt(self, *arguments, answer="", may_fail=False):
        """apt, and what it says; asked about a configuration file it is told `answer`."""
        began = time.monotonic()
        told = ["sh", "-c", 'answer=$1; shift; printf %s "$answer" | LC_ALL=C apt "$@"', "sh", answer]
        said = run(*told, *ONLY_OURS, *arguments, may_fail=may_fail, within=240)
        with open(self.output, "a", encoding="utf-8") as file:
            file.write(f"$ apt {' '.join(arguments)}    {time.monotonic() - began:.1f} s\n{said}\n")
        return said

    @staticmethod
    def forget():
        """apt knows nothing of any repository."""
        for file in [SOURCES, *glob.glob("/var/lib/apt/lists/127.0.0.1*")]:
            if os.path.exists(file):
                os.remove(file)
