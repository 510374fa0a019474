import FoundationEssentials
import OkaeriEvents
import OkaeriPlumbing

/// The silences of a capture and their judgements. It contains no identifiers and no times of day, so that a user can
/// send it instead of the capture.
package struct CaptureScore: Codable, Sendable, Equatable {
    /// The length of the capture in hours, by its own clock.
    package var hours: Double
    package var air: Air
    /// In the order of the configuration.
    package var regions: [Region]

    /// The other devices in range.
    package struct Air: Codable, Sendable, Equatable {
        /// The number of devices that advertised in a few minutes, about: the median, never more than 64.
        package var devices: Int
        /// For how long none of many was heard, in seconds: the receiver was deaf, and that is not a silence.
        package var deaf: Double
    }

    /// One region.
    package struct Region: Codable, Sendable, Equatable {
        package var identifier: String
        /// The time inside, in hours.
        package var insideHours: Double
        /// The number of its beacons, and the number of their advertisements.
        package var beacons: Int
        package var advertisements: Int
        /// Of the beacon heard most: the time between two advertisements in seconds, and which part of them is not
        /// received, from 0 to 1; the medians of all minutes inside, nil where too little was heard.
        package var advertisingInterval: Double?
        package var loss: Double?
        /// nil where no beacon was heard twice within five minutes.
        package var gaps: Gaps?
        /// The number of a beacon's silences longer than five minutes: absences, mostly.
        package var longSilences: Int
        /// The number of exits that were not followed by a return within five minutes and at like strength.
        package var absences: Int
        /// The result of each sensitivity, and of `exitAfter` if it is configured.
        package var settings: [Setting]
    }

    /// The lengths of beacons' silences between two advertisements, up to five minutes; in seconds. Only time that was
    /// listened counts.
    package struct Gaps: Codable, Sendable, Equatable {
        package var median: Double
        package var p90: Double
        package var p99: Double
        package var p999: Double
        /// Ten at most, the longest first.
        package var longest: [Double]
    }

    /// The rate of false exits and the delay of exits, by one way to set the exit time.
    package struct Setting: Codable, Sendable, Equatable {
        /// quick, balanced, patient or exitAfter.
        package var setting: String
        /// In seconds, where it is that.
        package var exitAfter: Double?
        /// Whether the region is configured so.
        package var inForce: Bool
        /// The number of exits that would have been followed by a return within five minutes and at like strength.
        package var falseExits: Int
        /// The number of those in a day inside; `nil` if it was inside for less than an hour.
        package var perDay: Double?
        /// The delay of the exit if the beacon had been taken away at any minute inside: half of the times and nine of
        /// ten are no longer; in seconds, `nil` if it was not inside for a minute.
        package var medianDelay: Double?
        package var p90Delay: Double?
    }

    /// As JSON.
    package var json: String { JSON.line(self) }
}

extension CaptureScore.Gaps {
    /// - Returns: nil where there is none.
    init?(_ gaps: Tally) {
        guard let median = gaps.quantile(0.5), let p90 = gaps.quantile(0.9), let p99 = gaps.quantile(0.99),
            let p999 = gaps.quantile(0.999)
        else { return nil }
        self.init(median: median, p90: p90, p99: p99, p999: p999, longest: gaps.largest(10))
    }
}

extension CaptureScore {
    /// For a person.
    package var text: String {
        let deaf = air.deaf > 0 ? "; for \(air.deaf.plain) s none of them was heard, which is not silence" : ""
        let capture = "\(Self.time(hours)) recorded\n  In the air: \(quantity(air.devices, "device"))\(deaf)"
        return ([capture] + regions.map(\.text)).joined(separator: "\n\n")
    }

    fileprivate static func time(_ hours: Double) -> String {
        hours < 2 ? "\((hours * 60).rounded(digits: 1).plain) min" : "\(hours.rounded(digits: 1).plain) h"
    }
}

extension CaptureScore.Region {
    fileprivate var text: String {
        guard advertisements > 0 else { return "\(identifier)  was never heard: none of its beacons is in the capture" }
        let fields = [
            ("beacons", "\(beacons) with \(quantity(advertisements, "advertisement"))"), ("sends", sends),
            ("gaps", quantiles), ("longest", longest), ("absences", "\(absences)"),
        ].map { "  \($0.padding(to: 10))\($1)" }
        let heading = ["exit time", "false exits", "a day", "half within", "90 % within"]
        let table = ([heading] + settings.map(\.cells)).map { cells in
            "  " + zip(cells, [24, 13, 9, 13, 0]).map { $0.padding(to: $1) }.joined()
        }
        return (["\(identifier)  inside for \(CaptureScore.time(insideHours))"] + fields + [""] + table)
            .joined(separator: "\n")
    }

    private var sends: String {
        guard let advertisingInterval, let loss else { return "how often is unknown" }
        return "every \(advertisingInterval.plain) s; \(Int((loss * 100).rounded())) % of that is lost"
    }

    private var quantiles: String {
        guard let gaps else { return "unknown" }
        let parts = [("half", gaps.median), ("90 %", gaps.p90), ("99 %", gaps.p99), ("99.9 %", gaps.p999)]
        return parts.map { "\($0) up to \($1.plain) s" }.joined(separator: ", ")
    }

    private var longest: String {
        let longer = longSilences > 0 ? "\(longSilences) longer silences, which are not gaps" : nil
        let longest = gaps.map { $0.longest.map { $0.rounded(digits: 1).plain }.joined(separator: ", ") + " s" }
        return [longest, longer].compactMap { $0 }.joined(separator: "; ")
    }
}

extension CaptureScore.Setting {
    fileprivate var cells: [String] {
        func seconds(_ time: Double?) -> String { time.map { "\($0.plain) s" } ?? "?" }
        let name = exitAfter.map { "exitAfter \($0.plain)" } ?? setting
        return [
            name + (inForce ? ", in force" : ""), "\(falseExits)", perDay?.plain ?? "?", seconds(medianDelay),
            seconds(p90Delay),
        ]
    }
}
