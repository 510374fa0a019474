"""The apt repositories that the host has made, behind a web server, and apt on the machine."""

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
# The address that e2e/repository has written into them.
PORT = 8099
SOURCES = "/etc/apt/sources.list.d/okaeri.sources"
# The machine cannot reach Debian's servers, which its own list names.
ONLY_OURS = ("-o", "Dir::Etc::SourceList=/dev/null")
SUITE = run("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Logs nothing, because apt prints its requests itself."""

    def log_message(self, *_):
        pass


class Repository:
    """A web server with a repository, until the scenario ends. apt's output is kept in its folder: apt.out."""

    def __init__(self, folder, name):
        self.output = f"{folder}/apt.out"
        self.forget()
        self.serve(name)
        handler = functools.partial(Handler, directory=SERVED)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # The first command of docs/getting-started.md: downloads the file that names the repository and its key.
        shutil.copy(f"{SERVED}/{SUITE}/okaeri.sources", SOURCES)

    def serve(self, name):
        """Serves the repository of that name from now on: `before`, `now` or `foreign`. It is a copy, so that scenarios can
        damage it."""
        shutil.rmtree(SERVED, ignore_errors=True)
        # The files get the present time: apt requests only files that are newer than those of its last request.
        shutil.copytree(f"{MADE}/{name}", SERVED, copy_function=shutil.copy)

    def apt(self, *arguments, answer="", may_fail=False):
        """Runs apt and returns its output; `answer` is the answer to a question about a configuration file."""
        began = time.monotonic()
        command = ["sh", "-c", 'answer=$1; shift; printf %s "$answer" | LC_ALL=C apt "$@"', "sh", answer]
        said = run(*command, *ONLY_OURS, *arguments, may_fail=may_fail, within=240)
        with open(self.output, "a", encoding="utf-8") as file:
            file.write(f"$ apt {' '.join(arguments)}    {time.monotonic() - began:.1f} s\n{said}\n")
        return said

    @staticmethod
    def forget():
        """Removes all repositories from apt."""
        for file in [SOURCES, *glob.glob("/var/lib/apt/lists/127.0.0.1*")]:
            if os.path.exists(file):
                os.remove(file)
