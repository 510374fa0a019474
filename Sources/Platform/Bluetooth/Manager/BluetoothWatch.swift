import HCI
import Plumbing

/// The scanner's delegate of a ``BluetoothManager``: it broadcasts the states, and passes everything on to another.
final class BluetoothWatch: ScannerDelegate {
    let updates = Broadcast<AdapterUpdate>(remembers: true)
    private let delegate: (any ScannerDelegate)?

    init(delegate: (any ScannerDelegate)?) {
        self.delegate = delegate
    }

    func run(_ scanner: Scanner) {
        defer { updates.close() }
        do throws(KernelError) {
            try scanner.run(self)
        } catch {
            updates.send(.failed(error, scanner.adapter))
        }
    }

    func scannerWillStart(at time: Int64) {
        delegate?.scannerWillStart(at: time)
    }

    func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) {
        updates.send(update)
        delegate?.scannerDidUpdate(update, at: time)
    }

    func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        delegate?.scannerDidReceive(event, at: time) ?? false
    }

    func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {
        delegate?.scannerDidChangeListening(timing, at: time)
    }

    func scannerDidChoose(_ mode: ScanMode, at time: Int64) {
        delegate?.scannerDidChoose(mode, at: time)
    }

    var wantsContinuousScan: Bool { delegate?.wantsContinuousScan ?? false }

    func scannerDidHearController(at time: Int64) {
        delegate?.scannerDidHearController(at: time)
    }

    func scannerDidFinishTurn(at time: Int64) -> Int64? {
        delegate?.scannerDidFinishTurn(at: time)
    }

    var nextDeadline: Int64? { delegate?.nextDeadline }

    var silenceLimit: Duration? { delegate?.silenceLimit ?? nil }

    func scannerDidDrop(total: UInt64) {
        delegate?.scannerDidDrop(total: total)
    }
}
