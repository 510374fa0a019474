"""parsers.py EVENTS COUNT: prints the nanoseconds a report of two Python parsers of advertisements, the best of five rounds.

EVENTS is the file of traffic.py. The first one is bluetooth-data-tools with ibeacon-ble, as Home Assistant's iBeacon integration uses
them; the second one habluetooth's scanner for raw advertisements, with its manager and without a listener. Both get the address, the RSSI
and the data of each report, without HCI. They track no regions.
"""

import asyncio
import pathlib
import sys
import time

import bluetooth_data_tools
import habluetooth
from habluetooth import BluetoothServiceInfo
from ibeacon_ble import iBeaconParser

ROUNDS = 5


def reports(path):
    """Yields (address, RSSI, data) of the extended or legacy report in each packet."""
    content, start = path.read_bytes(), 0
    while start < len(content):
        packet = content[start + 1:start + 1 + content[start]]
        start += 1 + content[start]
        assert packet[0] == 4 and packet[1] == 0x3E and packet[3] == 2 and packet[4] == 1, packet.hex()
        address = ":".join(f"{byte:02X}" for byte in packet[12:6:-1])
        length = packet[13]
        yield address, int.from_bytes(packet[14 + length:15 + length], "little", signed=True), bytes(packet[14:14 + length])


def parsed(parser, address, rssi, data):
    name, services, service_data, manufacturer_data, power = bluetooth_data_tools.parse_advertisement_data_tuple((data,))
    return parser.parse(BluetoothServiceInfo(
        name=name or address, address=address, rssi=rssi, manufacturer_data=manufacturer_data, service_data=service_data,
        service_uuids=services, source="hci0"))


def best(handle, traffic, count):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for number in range(count):
            handle(*traffic[number % len(traffic)])
        times.append((time.perf_counter_ns() - start) / count)
    return min(times)


class NoAdapters:
    """The manager is not set up, and looks for no adapters."""

    history = {}
    adapters = {}
    default_adapter = "hci0"


class Manager(habluetooth.BluetoothManager):
    def _discover_service_info(self, service_info):
        """Handles a report. Home Assistant looks for integrations here."""


async def main(path, count):
    traffic = list(reports(path))
    parser = iBeaconParser()
    await parser.async_setup()
    assert all(parsed(parser, *report).minor is not None for report in traffic)
    print(f"{best(lambda *report: parsed(parser, *report), traffic, count):.0f}")

    habluetooth.set_manager(Manager(NoAdapters(), None))
    scanner = habluetooth.BaseHaRemoteScanner("C0:00:00:00:00:01", "hci0", None, True)
    seen = lambda address, rssi, data: scanner._async_on_raw_advertisement(address, rssi, data, {}, time.monotonic())
    for report in traffic:
        seen(*report)
    assert len(scanner.discovered_devices_and_advertisement_data) == len({address for address, _, _ in traffic})
    print(f"{best(seen, traffic, count):.0f}")


asyncio.run(main(pathlib.Path(sys.argv[1]), int(sys.argv[2])))
