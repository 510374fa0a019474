package import HCI

/// The receiver of a scanner's reports, or of a capture's in its place.
///
/// All calls come on the thread of the source's `run`. Times are the nanoseconds of its monotonic clock.
package protocol ScannerDelegate: AnyObject, Sendable {
    /// Before anything else: the source's clock is known from now on.
    func scannerWillStart(at time: Int64)

    /// An HCI event came in: from an adapter always one with LE advertising reports, which may be malformed.
    ///
    /// - Parameter event: its bytes from the event code on, without the H4 packet type.
    /// - Returns: whether a well-formed report was in it: one proves that the radio lives.
    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool

    /// HCI events came in one after another, with nothing else between them: a delegate that locks does so once for all.
    ///
    /// - Parameter events: gives them, each by a call of `each`.
    func scannerDidReceive<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure)

    /// Takes one event as ``scannerDidReceive(_:at:)`` does, and returns ``nextDeadline``.
    typealias Each = (_ event: RawSpan, _ time: Int64) -> Int64?

    /// The state of Bluetooth has changed.
    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64)

    /// Advertisements are received from now on, with this interval and window, or no longer: stolen, held, or stopped. Time
    /// without listening is not a silence.
    ///
    /// - Parameter timing: The interval and window; `nil`: advertisements are not received. Another timing comes after `nil`.
    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64)

    /// The scanner has chosen another interval and window, or has another reason for them.
    func scannerDidChoose(_ mode: ScanMode, at time: Int64)

    /// Whether a continuous scan would help now: a beacon that keeps a region inside is late. The scanner reads it after each
    /// ``scannerDidFinishTurn(at:)``.
    var wantsContinuousScan: Bool { get }

    /// This process did not run from one time to another: it was stopped, or its machine stood still. It could not receive then. This comes
    /// before the delivery of what waited meanwhile.
    func scannerDidStall(from: Int64, until: Int64)

    /// The controller has sent something, be it an advert or an answer: that distinguishes an empty house from a dead
    /// radio; see ``ScannerParameters/quietPeriod``. It comes before ``scannerDidFinishTurn(at:)``.
    func scannerDidHearController(at time: Int64)

    /// Everything that was waiting has been delivered.
    ///
    /// - Returns: The latest time of the next call; `nil` for the time of the next event.
    func scannerDidFinishTurn(at time: Int64) -> Int64?

    /// The time at which ``scannerDidFinishTurn(at:)`` is next needed, even if nothing is received; `nil` for never.
    var nextDeadline: Int64? { get }

    /// The silence, of all devices, from which on the controller is suspected to be deaf; `nil` where silence is normal.
    var silenceLimit: Duration? { get }

    /// The kernel dropped packets, because they came faster than they were fetched: so many since the scanner began.
    func scannerDidDrop(total: UInt64)
}

extension ScannerDelegate {
    package func scannerWillStart(at time: Int64) {}

    package func scannerDidReceive<Failure>(_ events: (_ each: Each) throws(Failure) -> Void) throws(Failure) {
        try events { event, time in
            _ = scannerDidReceive(event, at: time)
            return nextDeadline
        }
    }

    package func scannerDidChoose(_ mode: ScanMode, at time: Int64) {}

    package var wantsContinuousScan: Bool { false }

    package func scannerDidStall(from: Int64, until: Int64) {}

    package func scannerDidHearController(at time: Int64) {}

    package var silenceLimit: Duration? { nil }

    package func scannerDidDrop(total: UInt64) {}
}
