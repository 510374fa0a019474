public import HCI
import IBeacon
import OkaeriPresence
public import RegionMonitoring

/// The answer of ``LocationManager/locate(_:within:)``: whether this machine is where the beacons are.
public struct LocationAnswer: Hashable, Sendable {
    /// The kinds of answers.
    public enum Result: Hashable, Sendable {
        /// This beacon was received.
        case inside(RangedBeacon)

        /// The adapter scanned for the whole time, and received no such beacon.
        case outside

        /// The adapter did not scan for the whole time, so the silence proves nothing.
        case unknown(LocationObstacle)
    }

    /// The answer.
    public var result: Result

    /// The time in which the adapter scanned.
    public var listened: Duration

    /// The state of Bluetooth at the time of the answer.
    public var bluetooth: AdapterUpdate

    /// The time of the answer, on the clock of ``LocationEvent/instant``.
    public var instant: Instant

    /// The time of the answer on the wall clock: nanoseconds since 1970-01-01 00:00:00 UTC.
    public var nanosecondsSince1970: Int64

    /// The time of the answer on the wall clock, in seconds: the argument of Foundation's `Date(timeIntervalSince1970:)`.
    public var secondsSince1970: Double { Double(nanosecondsSince1970) / 1e9 }

    /// The answer as the state of a region.
    public var state: RegionState {
        switch result {
        case .inside: .inside
        case .outside: .outside
        case .unknown: .unknown
        }
    }
}

extension LocationAnswer {
    /// The answer without a scan, because Bluetooth does not work.
    init(_ bluetooth: AdapterUpdate, at instant: Instant, _ clock: some WallClock) {
        self.init(
            result: .unknown(.bluetooth(bluetooth)), listened: .zero, bluetooth: bluetooth, instant: instant,
            nanosecondsSince1970: clock.wallTime(of: instant))
    }

    /// The answer of a locator of one region.
    init(_ answer: LocateAnswer, _ clock: some WallClock) {
        self.init(
            result: answer.places.first.map(Result.init) ?? .outside, listened: answer.listened,
            bluetooth: answer.bluetooth, instant: answer.time,
            nanosecondsSince1970: clock.wallTime(of: answer.time))
    }
}

extension LocationAnswer.Result {
    init(_ place: LocateAnswer.Place) {
        switch (place.state, place.beacon, place.reason) {
        case (.inside, let beacon?, _):
            self = .inside(
                RangedBeacon(
                    identity: beacon.identity, rssi: beacon.rssi.map(Int.init) ?? 0, accuracy: beacon.accuracy,
                    timestamp: beacon.lastHeard))
        case (_, _, .unknown(let obstacle)): self = .unknown(obstacle)
        case (.inside, nil, _), (.outside, _, _), (.unknown, _, _): self = .outside
        }
    }
}
