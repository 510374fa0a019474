import HCI
package import IBeacon
import OkaeriTestSupport
package import RegionMonitoring

package let uuidText = "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34"
package let home = BeaconIdentity(uuid: BeaconUUID(uuidText) ?? BeaconUUID(high: 0, low: 0), major: 100, minor: 100)
package let neighbour = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1)

/// One LE advertising report event, from its event code on.
package func event(_ identity: BeaconIdentity = home, rssi: Int8 = -70) -> [UInt8] {
    let data = IBeaconFrame(identity: identity, measuredPower: -59).advertisingData
    let body: [UInt8] = [0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
    return [0x3E, UInt8(body.count)] + body
}

/// One LE advertising report event of the beacon's address, with the level of its battery.
package func batteryEvent(_ percent: UInt8) -> [UInt8] {
    let data: [UInt8] = [4, 0x16, 0x0F, 0x18, percent]
    let body: [UInt8] = [0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, UInt8(data.count)] + data + [0xBA]
    return [0x3E, UInt8(body.count)] + body
}

/// A btsnoop capture of these events at these seconds of the evening.
package func capture(of events: [(second: Double, event: [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = BtsnoopWriter()
    writer.appendHeader(to: &bytes)
    for (second, event) in events {
        writer.append(.event, event.span.bytes, time: evening + nanoseconds(second), to: &bytes)
    }
    return bytes
}

/// A btsnoop capture of the beacon at these seconds of the evening, and of a neighbour's once a second until `end`.
package func capture(_ seconds: [Double], until end: Double, start: Int64 = evening) -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = BtsnoopWriter()
    writer.appendHeader(to: &bytes)
    let neighbours = stride(from: 0.0, through: end, by: 1).map { ($0, event(neighbour, rssi: -90)) }
    for (time, event) in (seconds.map { ($0, event()) } + neighbours).sorted(by: { $0.0 < $1.0 }) {
        writer.append(.event, event.span.bytes, time: start + nanoseconds(time), to: &bytes)
    }
    return bytes
}

/// A btsnoop capture of the beacon at these seconds of the evening, with these signals.
package func capture(of sightings: [(second: Double, rssi: Int8)]) -> [UInt8] {
    capture(of: sightings.map { ($0.second, event(rssi: $0.rssi)) })
}

package func monitored(_ exitAfter: Double = 30, ranging: Bool = false, identifier: String = "home") -> MonitoredRegion
{
    MonitoredRegion(
        BeaconRegion(identifier: identifier, constraint: .minor(home.uuid, 100, 100)), exitAfter: .seconds(exitAfter),
        ranging: ranging ? .whileInside : .off)
}
