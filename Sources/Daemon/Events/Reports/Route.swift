/// The routes of a daemon. The one list that client and server go by.
package enum Route {
    /// All of it: ``StatusReport``.
    package static let status = "/v1/status"
    /// The same without how beacons are judged, which is most of it.
    package static let briefStatus = "/v1/status?beacons=false"
    /// A list of ``RegionReport``.
    package static let regions = "/v1/regions"
    /// A list of ``BeaconReport``.
    package static let beacons = "/v1/beacons"
    /// ``ThresholdProposal``, of the query's ``signals``.
    package static let thresholds = "/v1/thresholds"
    /// ``PromptsReport``; below it each prompt, which `POST` answers with an ``AnswerRequest``.
    package static let prompts = "/v1/prompts"
    /// ``NodesReport``; below it each node, which `DELETE` forgets.
    package static let nodes = "/v1/nodes"
    /// ``ReceiversReport``: the receivers of other makes that publish at the broker.
    package static let receivers = "/v1/receivers"
    /// `POST` sends a test to each server that is notified: a list of ``NotificationReport``.
    package static let notificationTest = "/v1/notifications/test"
    /// Server-sent events (HTML Living Standard, 9.2).
    package static let events = "/v1/events"
    /// ``HealthReport``: 200, or 503 where something is wrong.
    package static let health = "/v1/health"
    /// The daemon in numbers, in the older text format of Prometheus, or as OpenMetrics for a client that requests it.
    package static let metrics = "/metrics"
    /// ``DaysReport``; below it the picture of each day: `/v1/days/2026-11-21.svg`.
    package static let days = "/v1/days"
    /// ``HistoryPage``: the events between two times, of the query's ``from`` and ``to``; of a ``region``, ``after`` a number.
    package static let history = "/v1/history"
    /// The false exits, of the query's ``region``, since its ``since``.
    package static let mistakes = "/v1/mistakes"
    /// ``SignalReport``, of the query's ``region``.
    package static let signal = "/v1/signal"
    /// ``SignalsReport``, of each ``region`` of the query, or of all.
    package static let allSignals = "/v1/signals"
    /// ``NetworksReport``.
    package static let networks = "/v1/wifi/networks"
    /// ``GuestsReport``; below it `code`, the ``GuestCodeReport`` of the query's ``ssid``. Only for a browser that is logged in.
    package static let guests = "/v1/guests"
    /// ``ConfigurationReport``; below it `region`, which `POST` sets.
    package static let configuration = "/v1/configuration"
    /// ``EnrollmentReport``; `POST` starts the enrollment of a phone by an ``EnrollmentRequest``, `DELETE` ends it; below it `answer`,
    /// which takes an ``EnrollmentAnswer``.
    package static let enrollment = "/v1/enrollment"
    /// ``BackupOfferReport``; `POST` answers with an encrypted backup. Only for a browser that is logged in.
    package static let backup = "/v1/backup"
    /// `POST` makes a link to the page: ``WebLinkReport``.
    package static let links = "/v1/web/links"
    /// A list of ``WebDeviceReport``; below it each, which `DELETE` revokes.
    package static let devices = "/v1/web/devices"
    /// `POST` follows a link to the page.
    package static let login = "/v1/web/login"
    /// The session of the browser that asks.
    package static let session = "/v1/web/session"
    /// `POST` ends that session.
    package static let logout = "/v1/web/logout"
    /// Below it the links that answer prompts. Without the first slash.
    package static let answers = "answer"
    /// `DELETE` takes an answer of never back, of the network in the query's ``ssid``.
    package static let never = "/v1/never"

    /// The parameter of ``signal``, ``allSignals``, ``history`` and ``mistakes`` in the query.
    package static let region = "region"
    /// The parameter of a removal in the query: the name of a sign of the region.
    package static let sign = "sign"
    /// The parameter of ``thresholds``: filtered signals in dBm, separated by commas; and of a day's picture: `false` for none.
    package static let signals = "signals"
    /// The parameters of ``history`` and of a day's picture: RFC 3339.
    package static let (from, to) = ("from", "to")
    /// The parameter of a day's picture: pixels.
    package static let width = "width"
    /// The parameter of a day's picture: `en` or `ja`.
    package static let language = "lang"

    /// The parameter of a day's picture: `configured` or `former`.
    package static let scope = "regions"
    /// The parameter of ``history`` that goes on where an answer ended.
    package static let after = "after"
    /// The parameter of ``mistakes`` in the query: RFC 3339.
    package static let since = "since"
    /// The parameter of ``never`` in the query.
    package static let ssid = "ssid"
    /// The parameter of ``status`` in the query: `false` leaves out how beacons are judged.
    package static let judgements = "beacons"
}

/// The fields of the event stream.
package enum EventStreamField {
    /// The type of the stream's content.
    package static let contentType = "text/event-stream"

    /// In the head of a request: the number of the last event that was received.
    package static let lastEventID = "Last-Event-ID"

    /// The name of the message that events were lost, with an ``EventLoss``.
    package static let lost = "lost"

    /// The longest silence of the stream: then a comment follows, so that both sides notice a broken connection.
    package static let heartbeat = Duration.seconds(15)
}

/// The number of events that a listener has missed: it was too slow, or away for too long.
package struct EventLoss: Codable, Sendable, Equatable {
    /// Nil when that is not known: the daemon has restarted and counts anew.
    package var lost: UInt64?

    package init(lost: UInt64?) {
        self.lost = lost
    }
}
