"""A Prometheus scrapes the daemon through a day with faults, and the health check names them."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request

from lab import bluez, disk
from lab.controller import Controller
from lab.daemon import Daemon, region
from lab.processes import Process, run
from lab.registry import scenario
from lab.waiting import check, wait_for

from package import shipped

METRICS, PROMETHEUS = "127.0.0.1:9464", "127.0.0.1:9090"
WORK = "/run/numbers"


def get(url):
    """Returns the status and the text; no status if the daemon does not answer."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return None, ""


def expect_health(status, parts, within):
    """Waits until the health check has this status because of these parts."""
    def is_so():
        code, text = get(f"http://{METRICS}/v1/health")
        return code == status and [problem["part"] for problem in json.loads(text)["problems"]] == parts
    wait_for(f"health {status}, {parts}", is_so, within)


class Prometheus(Process):
    """Starts Debian's Prometheus, with the rules of okaeri's package and an interval of a second."""

    def __init__(self, folder):
        run("mkdir", "-p", WORK)
        run("dpkg-deb", "-x", shipped(), f"{WORK}/package")
        configuration = os.path.join(folder, "prometheus.yml")
        with open(configuration, "w", encoding="utf-8") as file:
            json.dump({
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": [f"{WORK}/package/usr/share/doc/okaeri/examples/prometheus/okaeri.rules.yml"],
                "scrape_configs": [{"job_name": "okaeri", "static_configs": [{"targets": [METRICS]}]}]}, file)
        super().__init__(folder, "prometheus", [
            "prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={WORK}/tsdb",
            f"--web.listen-address={PROMETHEUS}"])

    def ask(self, path, **query):
        code, text = get(f"http://{PROMETHEUS}/api/v1/{path}?{urllib.parse.urlencode(query)}")
        return json.loads(text)["data"] if code == 200 else None

    def expect(self, query, within=15):
        """Waits until the query has a result."""
        def found():
            check(self.is_running, f"prometheus has ended: {self.said()[-500:]}")
            answer = self.ask("query", query=query)
            return answer and answer["result"]
        return wait_for(query, found, within)

    def expect_alert(self, name, within=15):
        """Waits until an alert is pending or firing."""
        def found():
            answer = self.ask("alerts")
            return answer and [alert for alert in answer["alerts"] if alert["labels"]["alertname"] == name]
        return wait_for(name, found, within)


@scenario(within=180)
def numbers_for_prometheus(folder):
    """The region is inside, Bluetooth is switched off and on again, and the daemon ends."""
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region(), more={"metrics": {"listen": METRICS}})
    daemon.expect("didEnterRegion", within=10)
    prometheus = Prometheus(folder)
    prometheus.expect('up{job="okaeri"} == 1', within=60)
    target, = prometheus.ask("targets")["activeTargets"]
    check(not target["lastError"], f"the scrape fails: {target['lastError']}")
    prometheus.expect('okaeri_region_state{region="home",state="inside"} == 1')
    prometheus.expect('okaeri_region_signal_dbm{region="home"} < 0')
    prometheus.expect("okaeri_ibeacon_reports_total > 0 and okaeri_bluetooth_listening == 1")
    prometheus.expect('okaeri_events_total{event="didEnterRegion",scope="node"} == 1')
    expect_health(200, [], within=5)
    check(not prometheus.ask("alerts")["alerts"], f"there are alerts: {prometheus.ask('alerts')}")

    bluez.btmgmt("power", "off")
    daemon.expect_bluetooth("poweredOff", within=10)
    expect_health(503, ["bluetooth"], within=5)
    prometheus.expect('okaeri_region_state{region="home",state="unknown"} == 1')
    prometheus.expect_alert("OkaeriScannerDeaf")
    prometheus.expect_alert("OkaeriRegionUnknown")

    bluez.btmgmt("power", "on")
    daemon.expect_bluetooth("poweredOn", within=20, past=1)
    expect_health(200, [], within=20)
    prometheus.expect('okaeri_region_state{region="home",state="inside"} == 1', within=20)
    prometheus.expect("okaeri_scan_restarts_total >= 1")

    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")
    prometheus.expect_alert("OkaeriDown")


@scenario(within=120)
def numbers_of_a_full_disk(folder):
    """The health check reports that events would be lost, until the disk has space again."""
    disk.insert()
    controller = Controller(folder)
    controller.tell("start home")
    daemon = Daemon(folder, region(), more={"metrics": {"listen": METRICS}})
    daemon.expect("didEnterRegion", within=10)
    expect_health(200, [], within=10)
    disk.fill()
    controller.tell("stop home")
    daemon.expect("didExitRegion", within=15)
    expect_health(503, ["state", "history"], within=15)
    check('okaeri_disk_problem{store="history"} 1' in get(f"http://{METRICS}/metrics")[1], "the metrics do not say so")
    disk.free()
    controller.tell("start home")
    daemon.expect("didEnterRegion", within=10, past=1)
    expect_health(200, [], within=20)
    check(daemon.stop() == 0, "okaeri did not end well on SIGTERM")
