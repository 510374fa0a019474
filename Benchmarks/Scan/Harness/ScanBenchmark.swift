import Glibc
import HCI
import RegionMonitoring

/// Prints the exits, their delays and the share of the antenna's time for tags of several intervals and for each choice of the scan.
@main struct ScanBenchmark {
    private static let second = 1_000_000_000.0

    /// A tag, and what it does.
    private struct Tag {
        var title: String
        /// In seconds; `nil` without one.
        var interval: Double?
        /// The share of the advertisements that are lost beside those between the scan windows.
        var loss = 0.3
        /// Shadows an hour, of 10 to 60 s, which let 5 % through.
        var shadows = 1.0
    }

    private static let tags = [
        Tag(title: "no tag"), Tag(title: "1 s", interval: 1), Tag(title: "2 s", interval: 2),
        Tag(title: "5 s", interval: 5),
        Tag(title: "10 s", interval: 10), Tag(title: "1 s, 95 % lost", interval: 1, loss: 0.95, shadows: 0),
    ]

    private static let settings: [(String, ScanSetting)] = [
        ("shared", .shared), ("automatic", .automatic()), ("continuous", .continuous),
    ]

    /// `ScanBenchmark [HOURS [SENSITIVITY]]`: 24 hours and balanced by default.
    static func main() {
        let arguments = CommandLine.arguments
        let hours = arguments.count > 1 ? Double(arguments[1]) ?? 24 : 24
        let sensitivity = arguments.count > 2 ? Sensitivity(rawValue: arguments[2]) ?? .balanced : .balanced
        print(
            "| tag | scan | false exits | delay of the last | antenna time | continuous because late | changes an hour |"
        )
        print("|--|--|--:|--:|--:|--:|--:|")
        for tag in tags {
            for (name, setting) in settings {
                guard let result = run(tag, setting, sensitivity, hours: hours) else { continue }
                print("| \(tag.title) | \(name) | \(result) |")
                fflush(nil)
            }
        }
    }

    private static func run(_ tag: Tag, _ setting: ScanSetting, _ sensitivity: Sensitivity, hours: Double) -> String? {
        guard var loop = ClosedLoop(setting, sensitivity: sensitivity, usesWiFi: true) else { return nil }
        var random = Generator(seed: UInt64((tag.interval ?? 0) * 1000) + UInt64(tag.loss * 100))
        let crystal = 1 + random.uniform(-30e-6, 30e-6)
        let end = hours * 3600
        var last = 0.0
        var next = (tag: random.uniform(0, tag.interval ?? 1), neighbour: random.uniform(0, 1))
        var shadow = (begin: random.exponential(tag.shadows / 3600), end: -1.0)
        while min(next.tag, next.neighbour) < end + 900 {
            let time = min(next.tag, next.neighbour)
            loop.advance(to: Int64(time * second))
            if next.neighbour <= next.tag {
                // Another device stays, so that a silence of the tag alone is not one of the receiver.
                loop.transmit("neighbour", rssi: -75)
                next.neighbour += 1.0225 + random.uniform(0, 0.01)
                continue
            }
            guard let interval = tag.interval, time < end else {
                next.tag = .infinity
                continue
            }
            if time >= shadow.begin {
                shadow.end = time + random.uniform(10, 60)
                shadow.begin = shadow.end + random.exponential(tag.shadows / 3600)
            }
            if random.uniform(0, 1) >= (time < shadow.end ? max(0.95, tag.loss) : tag.loss) {
                loop.transmit("tag", rssi: Int(-70 + random.normal() * 4))
                last = time
            }
            next.tag += interval * crystal + random.uniform(0, 0.01)
        }
        let exits = loop.exits.map { Double($0) / second }
        let delay = exits.last { $0 > last }.map { "\(Int(($0 - last).rounded())) s" } ?? "–"
        let values = [
            tag.interval == nil ? "–" : "\(exits.count { $0 <= last })", tag.interval == nil ? "–" : delay,
            percent(loop.antennaShare), percent(loop.lateShare),
            "\((Double(loop.changes) / (end + 900) * 36_000).rounded() / 10)",
        ]
        return values.joined(separator: " | ")
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}

/// Random numbers that are the same in each run (SplitMix64).
private struct Generator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func uniform(_ low: Double, _ high: Double) -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return low + Double(bits >> 11) / Double(1 << 53) * (high - low)
    }

    /// Infinite for a rate of 0.
    mutating func exponential(_ rate: Double) -> Double { rate > 0 ? -log(1 - uniform(0, 1)) / rate : .infinity }

    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform(0, 1) } }
}
