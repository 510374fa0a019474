/// What the scanner tells, kept for those who ask, and passed on.
final class BluetoothWatch: ScannerDelegate, Sendable {
    let updates = Broadcast<AdapterUpdate>(remembers: true)
    private let listener: (any ScannerDelegate & Sendable)?

    init(listener: (any ScannerDelegate & Sendable)?) {
        self.listener = listener
    }

    /// Follows the scanner to its end.
    func run(_ scanner: Scanner) {
        defer { updates.close() }
        do throws(KernelError) {
            try scanner.run(self)
        } catch {
            updates.send(.failed(error, scanner.adapter))
        }
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        updates.send(update)
        listener?.scannerDidUpdate(update, at: time)
    }

    func scannerDidReceive(_ packet: RawSpan, at time: Int64) {
        listener?.scannerDidReceive(packet, at: time)
    }

    func scannerDidChangeListening(_ isListening: Bool, at time: Int64) {
        listener?.scannerDidChangeListening(isListening, at: time)
    }

    func scannerDidHearController(at time: Int64) {
        listener?.scannerDidHearController(at: time)
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        listener?.scannerDidFinishTurn(at: time)
    }

    func scannerDidDrop(total: UInt64) {
        listener?.scannerDidDrop(total: total)
    }
}
