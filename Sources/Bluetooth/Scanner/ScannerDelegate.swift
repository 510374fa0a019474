/// Who hears what the scanner hears. All calls come on the thread of `Scanner.run`; times are nanoseconds of its
/// kernel's clock.
public protocol ScannerDelegate: AnyObject {
    /// An H4 event packet with LE advertising reports, as the controller sent it: the reports may be malformed.
    func scannerDidReceive(_ packet: RawSpan, at time: Int64)

    /// The state of Bluetooth has changed.
    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64)

    /// Adverts reach us from now on, or no longer: the scan was stolen, held, or started. Time without listening is not
    /// silence.
    func scannerDidChangeListening(_ isListening: Bool, at time: Int64)

    /// The controller has said something, be it an advert or an answer: it lives. In a silence that is what tells an empty
    /// house from a dead radio; see ``ScannerParameters/quietPeriod``. It comes before ``scannerDidFinishTurn(at:)``.
    func scannerDidHearController(at time: Int64)

    /// Everything that was waiting has been delivered. Returns when the delegate wants this call at the latest; nil for
    /// whenever something happens.
    func scannerDidFinishTurn(at time: Int64) -> Int64?

    /// The kernel dropped packets, because they came faster than they were fetched: so many since the scanner began.
    func scannerDidDrop(total: UInt64)
}
