import Bluetooth
import HCI
import RegionMonitoring

/// The adverts that an adapter hears.
final class AdapterSource: PresenceSource {
    private let scanner: Scanner
    private let adapter: String?

    /// - Parameters:
    ///   - adapter: its name, such as `hci0`; nil: the first that is up.
    ///   - scan: how much of the time is listened.
    ///   - patience: how long a silence may be before the controller is asked whether it lives.
    ///   - kernel: whose adapters they are.
    /// - Throws: when the process has no file descriptor left.
    init(
        adapter: String?, scan: Configuration.Scan, patience: Duration, kernel: some BluetoothKernel = LinuxKernel()
    ) throws {
        var parameters = ScannerParameters()
        parameters.quietPeriod = patience
        parameters.timing = try ScanTiming(
            interval: ScanTime(milliseconds: scan.interval), window: ScanTime(milliseconds: scan.window))
        scanner = try Scanner(adapter: adapter, parameters: parameters, kernel: kernel)
        self.adapter = adapter
    }

    var name: String { adapter ?? "the first adapter that is up" }

    var instant: Instant { SystemClock.monotonic }

    func run(_ receiver: some PacketReceiver) throws -> Bool {
        receiver.begin(at: instant)
        try scanner.run(Bridge(receiver))
        return false
    }

    func stop() { scanner.stop() }

    func hold(_ isHeld: Bool) { isHeld ? scanner.hold() : scanner.release() }

    func wake() { scanner.wake() }

    func perform(_ work: @escaping @Sendable () -> Void) { scanner.perform(work) }

    func wallTime(of instant: Instant) -> Int64 { SystemClock().wallTime(of: instant) }

    var now: Int64 { SystemClock().now }
}

/// The scanner's words in the receiver's.
private final class Bridge<Receiver: PacketReceiver>: ScannerDelegate {
    private let receiver: Receiver

    init(_ receiver: Receiver) {
        self.receiver = receiver
    }

    func scannerDidReceive(_ packet: RawSpan, at time: Int64) {
        // The first byte says that it is an event, which everything is that comes here.
        receiver.received(event: packet.extracting(droppingFirst: 1), at: Instant(nanoseconds: time))
    }

    func scannerDidHearController(at time: Int64) {
        receiver.controllerHeard(at: Instant(nanoseconds: time))
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        receiver.adapterUpdated(update, at: Instant(nanoseconds: time))
    }

    func scannerDidChangeListening(_ isListening: Bool, at time: Int64) {
        receiver.listeningChanged(isListening, at: Instant(nanoseconds: time))
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        receiver.turnFinished(at: Instant(nanoseconds: time))?.nanoseconds
    }

    func scannerDidDrop(total: UInt64) {
        receiver.dropped(total: total)
    }
}
