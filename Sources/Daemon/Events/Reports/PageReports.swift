/// The page's requests beside those of all programs, and their answers.

/// The days of which something is kept, in the machine's time zone; nil where nothing is.
package struct DaysReport: Codable, Sendable, Equatable {
    /// Such as `2026-11-21`.
    package var first: String?
    package var last: String?
    /// The time zone of the machine, from the first day on until a year after the present.
    package var offsets: [ZoneOffset]
    /// The regions of the history that were renamed or deleted; `nil` if there are none, or if the configuration cannot be read.
    package var former: [FormerRegion]?

    package init(first: String?, last: String?, offsets: [ZoneOffset] = [], former: [FormerRegion]? = nil) {
        self.first = first
        self.last = last
        self.offsets = offsets
        self.former = former
    }

    /// A region that is not configured any more.
    package struct FormerRegion: Codable, Sendable, Equatable {
        package var identifier: String
        /// The first and the last day with a state of it, such as `2026-11-21`.
        package var first: String
        package var last: String

        package init(identifier: String, first: String, last: String) {
            (self.identifier, self.first, self.last) = (identifier, first, last)
        }
    }
}

/// Events of the history, the oldest first.
package struct HistoryPage: Decodable, Sendable {
    package var events: [Event]
    /// The number to ask for the rest with; `nil` where this is all.
    package var next: Int64?
}

/// The signal of a region's beacon in the last minutes.
package struct SignalReport: Codable, Sendable, Equatable {
    package struct Point: Codable, Sendable, Equatable {
        /// RFC 3339.
        package var time: String
        /// In dBm.
        package var rssi: Double
    }

    /// The oldest first.
    package var points: [Point]
}

/// The signals of several regions in the last minutes.
package struct SignalsReport: Codable, Sendable, Equatable {
    /// The beginning of the first minute: RFC 3339.
    package var from: String
    /// By region the means of the minutes from there on, in dBm; `nil` for a minute without a signal.
    package var signals: [String: [Double?]]

    /// - Parameters:
    ///   - start: The beginning of the first minute, in nanoseconds since the Unix epoch.
    ///   - means: By region the means of the minutes, in dBm.
    package init(from start: Int64, _ means: [String: [Double?]]) {
        from = Timestamp.text(start)
        signals = means.mapValues { $0.map { $0.map(Self.rounded) } }
    }

    fileprivate static func rounded(_ mean: Double) -> Double { (mean * 10).rounded() / 10 }
}

extension SignalReport {
    /// - Parameters:
    ///   - start: The beginning of the first minute, in nanoseconds since the Unix epoch.
    ///   - means: The means of the minutes, in dBm.
    package init(from start: Int64, _ means: [Double?]) {
        points = means.enumerated().compactMap { index, mean in
            let time = start &+ Int64(index) &* SignalMinute.length
            return mean.map { Point(time: Timestamp.text(time), rssi: SignalsReport.rounded($0)) }
        }
    }
}

/// The Wi-Fi networks in sight.
package struct NetworksReport: Codable, Sendable, Equatable {
    package struct Network: Codable, Sendable, Equatable {
        package var ssid: String
        /// In percent.
        package var strength: Int
        /// Whether it has WPA2 or WPA3: others are never joined.
        package var secured: Bool
    }

    /// The strongest first.
    package var networks: [Network]
}

/// The configuration as it is, or a file of it as it would be.
package struct ConfigurationReport: Codable, Sendable, Equatable {
    /// A sign of a region with several.
    package struct Sign: Codable, Sendable, Equatable {
        /// The beacons as `UUID/major/minor`, with an asterisk for any; or the name of the phone.
        package var name: String
        /// Whether the page cannot remove it.
        package var fixed: Bool

        package init(name: String, fixed: Bool) { (self.name, self.fixed) = (name, fixed) }
    }

    /// A region, and the file that it is in.
    package struct Region: Codable, Sendable, Equatable {
        package var identifier: String
        /// The file that defines it.
        package var file: String
        /// The file with keys that the page has changed; `nil` if there are none.
        package var changed: String?
        /// Whether the page cannot delete or rename it.
        package var fixed: Bool
        /// Its signs in their order; `nil` for a region with one.
        package var signs: [Sign]?

        package init(identifier: String, file: String, changed: String? = nil, fixed: Bool, signs: [Sign]? = nil) {
            (self.identifier, self.signs) = (identifier, signs)
            self.file = file
            self.changed = changed
            self.fixed = fixed
        }
    }

    /// `beacons.json`; of a change, the file that it is in.
    package var file: String
    /// Whether the daemon may write a change.
    package var writable: Bool
    /// The reason why it may not, and the remedy.
    package var reason: LocalizedText?
    /// The text of `beacons.json` with the saved regions, or the new text of the file; with a placeholder for each command.
    package var text: String
    /// Whether the file has commands that ``text`` does not show.
    package var redacted: Bool
    /// Of a change: whether it was made, and the daemon goes by it.
    package var written: Bool?
    /// The regions of both files; `nil` of a change.
    package var regions: [Region]?
    /// The parts of the saved regions that are not used; `nil` if there are none.
    package var problems: [String]?
    /// The room of this machine; `nil` if it has none, and of a change.
    package var room: String?

    package init(
        file: String, writable: Bool, reason: LocalizedText?, text: String, redacted: Bool, written: Bool? = nil
    ) {
        self.file = file
        self.writable = writable
        self.reason = reason
        self.text = text
        self.redacted = redacted
        self.written = written
    }
}

/// A browser that was let in.
package struct WebDeviceReport: Codable, Sendable, Equatable {
    package var id: String
    package var name: String
    /// RFC 3339; the second to the hour.
    package var since: String
    package var seen: String

    package init(id: String, name: String, since: String, seen: String) {
        self.id = id
        self.name = name
        self.since = since
        self.seen = seen
    }
}

/// A new link to the page.
package struct WebLinkReport: Codable, Sendable, Equatable {
    /// The addresses of the page, such as `http://192.0.2.7:8080/`, the likeliest first; the link is one of them with
    /// `#login=` and the token.
    package var addresses: [String]
    package var token: String
    /// The time for which it is valid, in seconds.
    package var seconds: Int

    package init(addresses: [String], token: String, seconds: Int) {
        self.addresses = addresses
        self.token = token
        self.seconds = seconds
    }
}
