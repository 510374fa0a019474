"""A captive portal: an access point in a network namespace, so that requests of the station go over the air, and a web
server to which the access point resolves every name.

The server redirects each request to the login page until the login, and then serves NetworkManager's connectivity check.
"""

import ctypes
import http.server
import os
import sys

from . import radios, wifi
from .processes import Process
from .waiting import wait_for

NAME = "portal"
PR_SET_NAME = 15
ADDRESS = "http://check.example/"
# This file exists after the login.
LOGIN = "/run/portal-login"


class Portal(wifi.AccessPoint):
    """The home's network behind a portal, with NetworkManager's connectivity check enabled."""

    def __init__(self, folder):
        if os.path.exists(LOGIN):
            os.remove(LOGIN)
        radios.configure_manager("connectivity", f"uri={ADDRESS}\ninterval=5")
        radios.move_away("wlan0", NAME)
        super().__init__(folder, namespace=NAME, dns=True)
        self.server = Process(
            folder, NAME, [*self.inside, sys.executable, "-B", "-m", "lab.portal"],
            {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(__file__))})
        wait_for("the portal", lambda: "serves" in self.server.said(), within=15)

    def log_in(self):
        """Ends the redirects, so that the connectivity check succeeds."""
        with open(LOGIN, "w", encoding="utf-8"):
            pass


class Handler(http.server.BaseHTTPRequestHandler):
    """The portal's answers."""

    def do_GET(self):
        """Answers with the login page's address, or with the content that NetworkManager's check expects."""
        is_open = os.path.exists(LOGIN)
        self.send_response(200 if is_open else 302)
        if not is_open:
            self.send_header("Location", "http://login.example/")
        body = b"NetworkManager is online\n" if is_open else b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    # The runner finds the process by this name after the scenario.
    ctypes.CDLL(None).prctl(PR_SET_NAME, NAME.encode(), 0, 0, 0)
    with http.server.ThreadingHTTPServer(("", 80), Handler) as server:
        print("serves", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
