@testable import OkaeriClient
import FoundationEssentials
import OkaeriFuzzSupport
import OkaeriEvents
import RegionMonitoring

/// The events are the same however the stream is cut.
func checkStream(_ bytes: UnsafeRawBufferPointer) {
    var (whole, pieces) = (EventStreamReader(), EventStreamReader())
    let cut = bytes.isEmpty ? 0 : Int(bytes[0]) % bytes.count
    guard let feeds = try? whole.received(bytes), let first = try? pieces.received(bytes[..<cut]),
        let second = try? pieces.received(bytes[cut...])
    else { return require(false, "a line of the stream is too long") }
    require(first + second == feeds, "an event was lost in pieces")
    for case .event(let event) in feeds { check(event) }
}

/// Checks that an event is passed on unchanged, on one line, and has a text for a person.
private func check(_ event: Event) {
    require(!event.text.isEmpty && event.line.hasSuffix(event.text), "an event has no words")
    require(!event.json.contains(where: \.isNewline), "an event is sent on several lines")
    guard let expected = rounded(event) else { return }
    require(decoded(Data(event.json.utf8)) == expected, "an event is sent on as another one")
    guard let encoded = try? JSONEncoder().encode(event) else { return require(false, "an event cannot be encoded") }
    require(decoded(encoded) == expected, "an event is encoded as another one")
}

private func decoded(_ data: Data) -> Event? { try? JSONDecoder().decode(Event.self, from: data) }

/// As it is sent: a time in whole milliseconds, a distance to the centimetre, a number only beside the node's name. Nil where a
/// distance is not possible on Earth.
private func rounded(_ event: Event) -> Event? {
    var event = event
    let part = (event.time % 1_000_000 + 1_000_000) % 1_000_000
    let (time, overflow) = event.time.subtractingReportingOverflow(part)
    event.time = overflow ? .min : time
    if event.node.isEmpty { event.sequence = 0 }
    var isEarthly = true
    func rounded(_ beacon: RangedBeacon) -> RangedBeacon {
        isEarthly = isEarthly && abs(beacon.accuracy) < 1e8
        return RangedBeacon(identity: beacon.identity, rssi: beacon.rssi, accuracy: beacon.accuracy.metres)
    }
    switch event.kind {
    case .didEnterRegion(let region, let beacon): event.kind = .didEnterRegion(region: region, rounded(beacon))
    case .didRangeBeacons(let region, let beacons):
        event.kind = .didRangeBeacons(region: region, beacons.map(rounded))
    default: break
    }
    return isEarthly ? event : nil
}
