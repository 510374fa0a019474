/// What can be asked of a daemon, and where. The one list that client and server go by.
package enum Route {
    /// All of it: ``StatusReport``.
    package static let status = "/v1/status"
    /// The same without how beacons are judged, which is most of it.
    package static let briefStatus = "/v1/status?beacons=false"
    /// A list of ``RegionReport``.
    package static let regions = "/v1/regions"
    /// A list of ``BeaconReport``.
    package static let beacons = "/v1/beacons"
    /// ``PromptsReport``; below it each prompt, which `POST` answers with an ``AnswerRequest``.
    package static let prompts = "/v1/prompts"
    /// Server-sent events (HTML Living Standard, 9.2).
    package static let events = "/v1/events"
    /// `DELETE` takes an answer of never back, of the network in the query's ``ssid``.
    package static let never = "/v1/never"

    /// The parameter of ``never`` in the query.
    package static let ssid = "ssid"
    /// The parameter of ``status`` in the query: `false` leaves out how beacons are judged.
    package static let judgements = "beacons"
}

/// The fields of the event stream.
package enum EventStreamField {
    /// In the head of a request: the number of the last event that was received.
    package static let lastEventID = "Last-Event-ID"

    /// The name of what says that events were lost, with an ``EventLoss``.
    package static let lost = "lost"

    /// How long the stream is silent at most: then comes a comment, so that both sides know that the other is there.
    package static let heartbeat = Duration.seconds(15)
}

/// How many events a listener has missed: it was too slow, or away for too long.
package struct EventLoss: Codable, Sendable, Equatable {
    /// Nil when that is not known: the daemon has restarted and counts anew.
    package var lost: UInt64?

    package init(lost: UInt64?) {
        self.lost = lost
    }
}
