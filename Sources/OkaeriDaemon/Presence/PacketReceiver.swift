import Bluetooth
import RegionMonitoring

/// Where a source's packets and news go: the core, or a recorder. All calls come on the source's thread.
protocol PacketReceiver: Sendable {
    /// The source begins; its clock is known from now on.
    func begin(at now: Instant)

    /// An HCI event came in.
    ///
    /// - Parameter event: its bytes from the event code on, without the H4 packet type.
    func received(event: RawSpan, at now: Instant)

    /// The controller has said something, be it an advert or an answer: it lives.
    func controllerHeard(at now: Instant)

    /// Every packet that waited has gone in.
    ///
    /// - Returns: when the receiver next wants a turn, even if nothing comes in; nil for never.
    func turnFinished(at now: Instant) -> Instant?

    /// When the receiver next wants a turn.
    var nextDeadline: Instant? { get }

    /// The adapter's state changed.
    func adapterUpdated(_ update: AdapterUpdate, at now: Instant)

    /// The scan began, or was interrupted.
    func listeningChanged(_ isListening: Bool, at now: Instant)

    /// The kernel dropped packets because nobody fetched them in time; so many in all.
    func dropped(total: UInt64)
}
