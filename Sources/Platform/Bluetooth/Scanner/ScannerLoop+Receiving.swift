import Glibc
import HCI

extension ScannerLoop {
    /// The number of batches that are read before timers and requests have their turn: a flood must not delay them.
    private static var batchesPerTurn: Int { 256 }

    /// Fetches and delivers what is waiting. False when there may be more.
    mutating func drain(_ batch: inout PacketBatch) -> Bool {
        drainHotPlug(&batch)
        guard scanSocket != nil else { return true }
        var heard = Heard()
        var fetched = 0
        let generation = self.generation
        repeat {
            do throws(KernelError) {
                try scanSocket?.receive(into: &batch)
                if batch.count == 0, failures.scan { throw KernelError(.receive, code: EPIPE) }
            } catch {
                perform(machine.scanSocketFailed(error, at: now))
                return true
            }
            now = scanner.kernel.now()
            fetched += 1
            deliver(batch, generation, &heard)
        } while batch.count == PacketBatch.capacity && fetched < Self.batchesPerTurn && generation == self.generation
        if heard.report { perform(machine.reportReceived(at: now)) }
        if heard.event { delegate.scannerDidHearController(at: now) }
        // The socket can have been full only when more was waiting than one batch holds.
        if fetched > 1 { countDrops() }
        return batch.count < PacketBatch.capacity || generation != self.generation
    }

    /// The packets of a turn.
    private struct Heard {
        /// A well-formed advertising report: one proves that the radio lives.
        var report = false

        /// Anything from the controller.
        var event = false
    }

    private mutating func deliver(_ batch: borrowing PacketBatch, _ generation: Int, _ heard: inout Heard) {
        for index in 0..<batch.count {
            let packet = batch[index]
            // What it holds is for the delegate to read: here only the header is looked at.
            if case .some = LEAdvertisingReports(packet) {
                heard.event = true
                let event = packet.extracting(droppingFirst: 1)
                if delegate.scannerDidReceive(event, at: now) { heard.report = true }
            } else {
                if handle(packet) { heard.event = true }
                if generation != self.generation || isFinished { return }
            }
        }
    }

    /// An answer, a fault, or a foreign command; a malformed report is dropped. Returns whether it is the controller's.
    @discardableResult
    private mutating func handle(_ packet: RawSpan) -> Bool {
        if let event = try? HCIEvent(packet) {
            perform(machine.eventReceived(event, at: now))
            return true
        }
        if let command = try? HCICommand(packet) {
            perform(machine.foreignCommandSent(command, at: now))
        }
        return false
    }

    private mutating func drainHotPlug(_ batch: inout PacketBatch) {
        guard hotPlugSocket != nil else { return }
        repeat {
            do throws(KernelError) {
                try hotPlugSocket?.receive(into: &batch)
                if batch.count == 0, failures.hotPlug { throw KernelError(.receive, code: EPIPE) }
            } catch {
                hotPlugSocket = nil
                perform(machine.hotPlugFailed(error, at: now))
                return
            }
            for index in 0..<batch.count {
                handle(batch[index])
            }
        } while batch.count == PacketBatch.capacity
    }

    private mutating func countDrops() {
        guard let open = scanSocket?.drops() else { return }
        drops.open = open
        let total = drops.closed + open
        if total > drops.reported {
            drops.reported = total
            delegate.scannerDidDrop(total: total)
        }
    }
}
