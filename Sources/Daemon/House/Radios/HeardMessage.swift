import FoundationEssentials
import HCI
import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence

/// The receptions of a receiver since its last message: the topic `heard`.
struct HeardMessage: Sendable, Equatable {
    /// The receptions of one sender.
    struct Entry: Sendable, Equatable {
        var sender: Reception.Sender
        /// The RSSI in dBm, and the seconds between the reception and the end of the message's time.
        var samples: [Sample]
    }

    struct Sample: Sendable, Equatable {
        var rssi: Int8?
        var age: Double
    }

    /// The battery level of a beacon, and the seconds since its reception.
    struct Level: Sendable, Equatable {
        var beacon: BeaconIdentity
        var percent: UInt8
        var age: Double
    }

    /// The number of receptions in a message.
    static let receptionLimit = 256

    /// The number of battery levels in a message.
    static let levelLimit = 64

    /// The number of messages so far; a gap is a loss.
    var number: UInt64
    /// The begin and the end of the reported time, in seconds of the receiver's own monotonic clock. Their distance from the time of
    /// arrival shows the delay. `nil` from a receiver that does not tell.
    var span: ClosedRange<Double>?
    /// The listened part of that time, from 0 to 1.
    var share: Double
    /// The number of other devices that were received.
    var others: Int
    var entries: [Entry]
    var levels: [Level] = []
}

extension HeardMessage {
    private static let addressPrefix = "p:"

    /// The measured power of a beacon whose entry names none, in dBm: that of most beacons.
    private static let usualPower: Int8 = -59

    /// The measured power of a beacon that advertises none. A beacon that claims 0 dBm has no distance either.
    private static let unknownPower: Int8 = 0

    var payload: String {
        let entries = entries.map { entry -> EventField.Value in
            let samples = entry.samples.map { sample -> EventField.Value in
                .values([sample.rssi.map { .integer(Int($0)) } ?? .null, .number(sample.age.rounded(digits: 2))])
            }
            return switch entry.sender {
            case .beacon(let identity, let power):
                .values([.text(Self.key(of: identity)), .values(samples), .integer(Int(power ?? Self.unknownPower))])
            case .device(let address, _): .values([.text("\(Self.addressPrefix)\(address)"), .values(samples)])
            }
        }
        let span = span.map { EventField.Value.values([.number($0.lowerBound), .number($0.upperBound)]) }
        let levels = levels.map { level in
            EventField.Value.values([
                .text(Self.key(of: level.beacon)), .integer(Int(level.percent)), .number(level.age.rounded(digits: 1)),
            ])
        }
        return [
            EventField("n", .integer(Int(clamping: number))), EventField("t", span ?? .null),
            EventField("d", .number(share.rounded(digits: 3))), EventField("o", .integer(others)),
            EventField("r", .values(entries)), EventField("b", .values(levels)),
        ].json
    }

    private static func key(of beacon: BeaconIdentity) -> String { "\(beacon.uuid):\(beacon.major):\(beacon.minor)" }

    /// Returns `nil` for a payload that no receiver publishes.
    init?(_ payload: [UInt8]) {
        struct Members: Decodable {
            var n: UInt64
            var t: [Double]?
            var d: Double
            var o: Int
            var r: [WireEntry]
            var b: [WireLevel]?
        }
        guard let members = Wire.decode(Members.self, payload), members.d.isFinite else { return nil }
        number = members.n
        if let span = members.t {
            // 100 years.
            guard span.count == 2, span[0] >= 0, span[0] <= span[1], span[1] < 3.2e9 else { return nil }
            self.span = span[0]...span[1]
        }
        share = min(max(members.d, 0), 1)
        others = min(max(members.o, 0), 10_000)
        entries = []
        var room = Self.receptionLimit
        for entry in members.r where room > 0 {
            guard let sender = Self.sender(entry.key, power: entry.power) else { continue }
            let samples = entry.samples.prefix(room)
            room -= samples.count
            entries.append(Entry(sender: sender, samples: Array(samples)))
        }
        levels = (members.b ?? []).prefix(Self.levelLimit).compactMap(\.level)
    }

    private static func sender(_ key: String, power: Int?) -> Reception.Sender? {
        if key.hasPrefix(addressPrefix) {
            return BluetoothAddress(key.dropFirst(addressPrefix.count)).map { .device($0, .random) }
        }
        let power = power.flatMap { Int8(exactly: $0) } ?? usualPower
        return beacon(key).map { .beacon($0, measuredPower: power == unknownPower ? nil : power) }
    }

    private static func beacon(_ key: String) -> BeaconIdentity? {
        let parts = key.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let uuid = BeaconUUID(String(parts[0])), let major = UInt16(parts[1]),
            let minor = UInt16(parts[2])
        else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// `["UUID:MAJOR:MINOR", PERCENT, AGE]`.
    private struct WireLevel: Decodable {
        var level: Level?

        init(from decoder: any Decoder) throws {
            var members = try decoder.unkeyedContainer()
            let beacon = HeardMessage.beacon(try members.decode(String.self))
            let (percent, age) = (try members.decode(Int.self), try members.decode(Double.self))
            guard let beacon, 0...100 ~= percent, age.isFinite, 0...86_400 ~= age else { return }
            level = Level(beacon: beacon, percent: UInt8(percent), age: age)
        }
    }

    /// `["UUID:MAJOR:MINOR", [[RSSI, AGE], …], MEASURED POWER]`, the last one optional.
    private struct WireEntry: Decodable {
        var key: String
        var samples: [Sample] = []
        var power: Int?

        init(from decoder: any Decoder) throws {
            var members = try decoder.unkeyedContainer()
            key = try members.decode(String.self)
            var list = try members.nestedUnkeyedContainer()
            while !list.isAtEnd, samples.count < HeardMessage.receptionLimit {
                var sample = try list.nestedUnkeyedContainer()
                let rssi = try sample.decodeNil() ? nil : sample.decode(Int.self)
                let age = try sample.decode(Double.self)
                let value = rssi.map { Int8(exactly: $0) }
                // No RSSI is beyond a byte.
                guard age.isFinite, age >= 0, value != .some(nil) else { continue }
                samples.append(Sample(rssi: value?.flatMap(RSSI.measured), age: age))
            }
            power = members.isAtEnd ? nil : try? members.decode(Int.self)
        }
    }
}
