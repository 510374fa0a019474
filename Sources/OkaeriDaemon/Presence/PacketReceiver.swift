import Bluetooth
import RegionMonitoring

/// Where a source's packets and news go: the core, or a recorder. All calls come on the source's thread.
protocol PacketReceiver: Sendable {
    /// The source begins; its clock is known from now on.
    func begin(at now: Instant)

    /// An HCI event came in.
    ///
    /// - Parameter event: its bytes from the event code on, without the H4 packet type.
    /// - Returns: when the receiver next wants a turn, even if nothing more comes in; nil for never.
    @discardableResult
    func received(event: RawSpan, at now: Instant) -> Instant?

    /// Events came in one after another, without a turn between them: the receiver is locked once for all of them.
    ///
    /// - Parameter events: tells them, each by a call that answers as ``received(event:at:)`` does.
    func received<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure)

    typealias Each = (_ event: RawSpan, _ now: Instant) -> Instant?

    /// The controller has said something, be it an advert or an answer: it lives.
    func controllerHeard(at now: Instant)

    /// Every packet that waited has gone in.
    ///
    /// - Returns: when the receiver next wants a turn, even if nothing comes in; nil for never.
    func turnFinished(at now: Instant) -> Instant?

    /// The adapter's state changed.
    func adapterUpdated(_ update: AdapterUpdate, at now: Instant)

    /// The scan began, or was interrupted.
    func listeningChanged(_ isListening: Bool, at now: Instant)

    /// The kernel dropped packets because nobody fetched them in time; so many in all.
    func dropped(total: UInt64)
}

extension PacketReceiver {
    func received<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure) {
        try events { event, now in received(event: event, at: now) }
    }
}
