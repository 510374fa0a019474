package import API
package import HTTPTypes

/// What the page asks beside what every program does: days, signals, networks, the configuration.
package protocol PageBackend: Sendable {
    func days() async throws(PageFailure) -> DaysReport

    /// A day as a picture (SVG).
    ///
    /// - Parameters:
    ///   - day: such as `2026-11-21`, in the machine's time zone.
    ///   - from, to: only that part of it, as RFC 3339.
    func picture(of day: String, from: String?, to: String?) async throws(PageFailure) -> String

    /// The events between two times, as the event stream has them, the oldest first; and whether there were more.
    func history(from: String, to: String) async throws(PageFailure) -> (events: [String], isMore: Bool)

    /// The last ten minutes of a region.
    func signal(of region: String) async throws(PageFailure) -> SignalReport

    func networks() async throws(PageFailure) -> NetworksReport

    func configuration() async throws(PageFailure) -> ConfigurationReport

    /// Sets a region of the configuration.
    ///
    /// - Parameter request: `{"region": {"identifier": …}, "dry": false}`.
    func set(_ request: [UInt8]) async throws(PageFailure) -> ConfigurationReport
}

/// Why the page is not answered.
package struct PageFailure: Error, Sendable, Equatable {
    package var status: HTTPResponse.Status
    package var sentence: String

    package init(_ status: HTTPResponse.Status, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}
