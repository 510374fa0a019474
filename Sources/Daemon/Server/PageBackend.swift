package import Events
package import HTTPTypes

/// The page's requests beside those of all programs: days, signals, networks, the configuration, phones.
package protocol PageBackend: Sendable {
    func days() async throws(PageFailure) -> DaysReport

    /// A day as a picture (SVG).
    func picture(_ query: PictureQuery) async throws(PageFailure) -> String

    /// Returns events as the event stream has them, the oldest first; and the number to go on after where there are more.
    func history(_ query: HistoryQuery) async throws(PageFailure) -> (events: [String], next: Int64?)

    /// Returns the false exits, as a JSON object.
    ///
    /// - Parameters:
    ///   - region: only this region's; `nil` for all.
    ///   - since: none before this time, as RFC 3339; `nil` for all.
    func mistakes(of region: String?, since: String?) async throws(PageFailure) -> String

    /// The last ten minutes of a region.
    func signal(of region: String) async throws(PageFailure) -> SignalReport

    func networks() async throws(PageFailure) -> NetworksReport

    func guests() async throws(PageFailure) -> GuestsReport

    /// The QR code of a network of ``guests()``. It contains the passphrase.
    func guestCode(of ssid: String) async throws(PageFailure) -> GuestCodeReport

    func configuration() async throws(PageFailure) -> ConfigurationReport

    /// Sets a region of the configuration.
    ///
    /// - Parameter request: `{"region": {"identifier": …}, "name": …, "dry": false}`.
    func set(_ request: [UInt8]) async throws(PageFailure) -> ConfigurationReport

    /// Sets the room of this machine.
    ///
    /// - Parameter room: `{"room": …}`, with null for the room of `beacons.json`.
    func set(room: [UInt8]) async throws(PageFailure) -> ConfigurationReport

    /// Removes a region from the configuration.
    func remove(region: String) async throws(PageFailure) -> ConfigurationReport

    /// Removes the page's changes of a region of `beacons.json`.
    func removeChanges(of region: String) async throws(PageFailure) -> ConfigurationReport

    /// The enrollment of a phone that runs, or the last one.
    func enrollment() async -> EnrollmentReport

    /// Starts the enrollment of a phone, if none runs.
    func enroll(_ request: EnrollmentRequest) async throws(PageFailure) -> EnrollmentReport

    /// Answers a question of the enrollment that runs.
    func answerEnrollment(_ answer: EnrollmentAnswer) async throws(PageFailure) -> EnrollmentReport

    /// Ends the enrollment, or clears the result of the last one.
    func endEnrollment() async -> EnrollmentReport
}

/// The parameters of a request for the picture of a day.
package struct PictureQuery: Sendable, Equatable {
    /// Such as `2026-11-21`, in the machine's time zone.
    package var day: String
    /// Only that part of it, as RFC 3339; `nil`: from the beginning, and to the end.
    package var from, to: String?
    /// The width in pixels; `nil`: that of a wide screen.
    package var width: String?

    package init(day: String, from: String? = nil, to: String? = nil, width: String? = nil) {
        self.day = day
        self.from = from
        self.to = to
        self.width = width
    }
}

/// The parameters of a request for events.
package struct HistoryQuery: Sendable, Equatable {
    /// The first moment, and the one before which they happened, as RFC 3339.
    package var from, to: String
    /// Only this region's; `nil` for all.
    package var region: String?
    /// The number that the answer before had as `next`.
    package var after: String?

    package init(from: String, to: String, region: String? = nil, after: String? = nil) {
        self.from = from
        self.to = to
        self.region = region
        self.after = after
    }
}

/// The reason why a request of the page fails.
package struct PageFailure: Error, Sendable, Equatable {
    package var status: HTTPResponse.Status
    package var sentence: String
    /// The time after which the same request may succeed, in seconds.
    package var retryAfter: Int?

    package init(_ status: HTTPResponse.Status, _ sentence: String, retryAfter: Int? = nil) {
        self.status = status
        self.sentence = sentence
        self.retryAfter = retryAfter
    }
}
