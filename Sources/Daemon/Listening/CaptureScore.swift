import Events
import FoundationEssentials

/// What a capture tells of its silences and of how they are taken. Nothing in it says who was where, or when: whoever
/// recorded a day can send this instead of it.
package struct CaptureScore: Codable, Sendable, Equatable {
    /// How long the capture is in hours, by its own clock.
    package var hours: Double
    package var air: Air
    /// In the order of the configuration.
    package var regions: [Region]

    /// Who else is in the air.
    package struct Air: Codable, Sendable, Equatable {
        /// How many devices advertised in a few minutes, about: the median, never more than 64.
        package var devices: Int
        /// For how long none of many was heard, in seconds: the receiver was deaf, and that is no silence.
        package var deaf: Double
    }

    /// One region.
    package struct Region: Codable, Sendable, Equatable {
        package var identifier: String
        /// How long it was inside, in hours.
        package var insideHours: Double
        /// How many of its beacons were heard, and how many advertisements of all of them.
        package var beacons: Int
        package var advertisements: Int
        /// Of the beacon heard most: the time between two advertisements in seconds, and which part of them is not
        /// received, from 0 to 1; the medians of all minutes inside, nil where too little was heard.
        package var advertisingInterval: Double?
        package var loss: Double?
        /// nil where no beacon was heard twice within five minutes.
        package var gaps: Gaps?
        /// How many silences of a beacon were longer than five minutes: absences, mostly.
        package var longSilences: Int
        /// How many exits were not followed by a return within five minutes and at like strength.
        package var absences: Int
        /// What each sensitivity would have done, and what `exitAfter` did where it is configured.
        package var settings: [Setting]
    }

    /// How long beacons were silent between two advertisements, up to five minutes; in seconds. Only time that was listened
    /// counts.
    package struct Gaps: Codable, Sendable, Equatable {
        package var median: Double
        package var p90: Double
        package var p99: Double
        package var p999: Double
        /// Ten at most, the longest first.
        package var longest: [Double]
    }

    /// How often exits are wrong, and how late they are told, by one way to set the exit time.
    package struct Setting: Codable, Sendable, Equatable {
        /// quick, balanced, patient or exitAfter.
        package var setting: String
        /// In seconds, where it is that.
        package var exitAfter: Double?
        /// Whether the region is configured so.
        package var inForce: Bool
        /// How many exits would have been followed by a return within five minutes and at like strength.
        package var falseExits: Int
        /// How many that is in a day inside; nil where it was inside for less than an hour.
        package var perDay: Double?
        /// How long the exit would have taken, had the beacon been taken away at any minute inside: half of the times and
        /// nine of ten are no longer; in seconds, nil where it was not inside for a minute.
        package var medianDelay: Double?
        package var p90Delay: Double?
    }

    /// As JSON.
    package var json: String { JSON.document(self) }
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
