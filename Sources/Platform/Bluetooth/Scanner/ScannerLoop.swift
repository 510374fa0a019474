import Glibc
import HCI
import OkaeriPlumbing

/// The scanner's thread: it waits for the next event, passes it to the state machine, and carries out its actions.
struct ScannerLoop<Delegate: ScannerDelegate>: ~Copyable {
    let scanner: Scanner
    let delegate: Delegate
    var machine: ScannerStateMachine
    var scanSocket: HCISocket?
    var hotPlugSocket: HCISocket?
    var now: Int64
    var isHeld = false
    var usesWiFi: Bool?
    var wantsScan: Bool
    var isFinished = false

    /// A turn that begins later than this was delayed by more than a busy machine.
    private static var longestDelay: Int64 { 2_000_000_000 }

    /// The time for which reports collect in the kernel before they are read together: a wake-up costs more than a report. The report after
    /// a silence is read at once.
    static var readingPause: Int64 { 30_000_000 }

    /// The end of the present pause.
    private var pausedUntil = Int64.min

    private var receptions: ReceptionClock

    /// Counts the scan sockets: what an earlier one sent is not news of this one.
    var generation = 0

    /// Sockets with a failure reported by `poll`.
    var failures = (hotPlug: false, scan: false)

    /// Drops of sockets that are closed, of the one that is open, and what the delegate knows.
    var drops: (closed: UInt64, open: UInt64, reported: UInt64) = (0, 0, 0)

    init(_ scanner: Scanner, _ delegate: Delegate) {
        self.scanner = scanner
        self.delegate = delegate
        wantsScan = scanner.wantsScan
        machine = ScannerStateMachine(
            adapter: scanner.adapter, parameters: scanner.parameters, isScanWanted: wantsScan)
        now = scanner.kernel.now()
        receptions = ReceptionClock(latest: now)
    }

    mutating func run() throws(KernelError) {
        var batch = PacketBatch()
        delegate.scannerWillStart(at: now)
        perform(machine.started(at: now))
        while true {
            takeRequests()
            // Asked for only when it counts: the delegate locks for it.
            if let due = machine.nextDeadline, due <= now { machine.silenceLimit = delegate.silenceLimit }
            perform(machine.advanced(to: now))
            if isFinished { return }
            let isDrained = drain(&batch)
            if isFinished { return }
            // While packets are waiting the delegate would judge by half of them.
            let due = isDrained ? finishTurn() : now
            try wait(until: due)
            now = scanner.kernel.now()
            if let due, now.subtractingClamped(due) > Self.longestDelay {
                delegate.scannerDidStall(from: due, until: now)
                receptions.latest = now
            }
        }
    }

    /// Gives the delegate its turn, and returns the time of the next one at the latest.
    private mutating func finishTurn() -> Int64? {
        let deadline = delegate.scannerDidFinishTurn(at: now)
        receptions.latest = now
        // Asked for only when it counts: the delegate locks for it.
        if machine.heedsLateBeacons, delegate.wantsContinuousScan != machine.isBeaconLate {
            perform(machine.lateBeaconChanged(!machine.isBeaconLate, at: now))
        }
        return earliest(deadline, machine.nextDeadline)
    }

    private mutating func takeRequests() {
        let requests = scanner.takeRequests()
        if requests.usesWiFi != usesWiFi {
            usesWiFi = requests.usesWiFi
            perform(machine.wifiChanged(isUsed: usesWiFi, at: now))
        }
        if requests.isHeld != isHeld {
            isHeld = requests.isHeld
            perform(isHeld ? machine.held(at: now) : machine.released(at: now))
        }
        if requests.wantsScan != wantsScan {
            wantsScan = requests.wantsScan
            perform(wantsScan ? machine.scanWanted(at: now) : machine.scanUnwanted(at: now))
        }
        if let settings = requests.settings {
            perform(machine.reconfigured(adapter: settings.adapter, parameters: settings.parameters, at: now))
        }
        if requests.shouldStop { perform(machine.stopRequested(at: now)) }
        if requests.wasWoken { perform(machine.woken(at: now)) }
        for work in requests.work { work() }
    }

    /// Carries out the machine's actions, and those that follow from their results.
    mutating func perform(_ actions: [ScannerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .openHotPlugSocket: perform(openHotPlugSocket())
            case .inspectAdapters: perform(inspectAdapters())
            case .openScanSocket(let index): perform(openScanSocket(index))
            case .closeScanSocket:
                drops.closed += drops.open
                drops.open = 0
                scanSocket = nil
                failures.scan = false
                generation += 1
            case .powerCycle(let adapter):
                // An action before it may have changed the adapter in use.
                if machine.adapter?.index == adapter.index { perform(powerCycle(adapter)) }
            case .send(let command): perform(send(command))
            case .update(let update):
                scanner.updates?.send(update)
                delegate.scannerDidUpdate(update, at: now)
                receptions.latest = now
            case .listening(let timing):
                delegate.scannerDidChangeListening(timing, at: now)
                receptions.latest = now
            case .mode(let mode): delegate.scannerDidChoose(mode, at: now)
            case .finish: isFinished = true
            }
        }
    }

    private mutating func openHotPlugSocket() -> [ScannerStateMachine.Action] {
        do throws(KernelError) {
            failures.hotPlug = false
            hotPlugSocket = try scanner.kernel.openHotPlugSocket()
            return machine.hotPlugOpened(at: now)
        } catch {
            return machine.hotPlugFailed(error, at: now)
        }
    }

    private mutating func inspectAdapters() -> [ScannerStateMachine.Action] {
        do throws(KernelError) {
            return machine.adaptersInspected(try scanner.kernel.adapters(), at: now)
        } catch {
            return machine.inspectionFailed(error, at: now)
        }
    }

    private mutating func openScanSocket(_ index: UInt16) -> [ScannerStateMachine.Action] {
        do throws(KernelError) {
            scanSocket = try scanner.kernel.openScanSocket(adapter: index)
            // In this order: the socket shows a discovery that begins later.
            return machine.scanSocketOpened(isDiscovering: scanner.kernel.isDiscovering(adapter: index), at: now)
        } catch {
            return machine.scanSocketFailed(error, at: now)
        }
    }

    /// Blocks for as long as the controller takes to start, some ten seconds at worst; that time does not count as listened.
    private mutating func powerCycle(_ adapter: Adapter) -> [ScannerStateMachine.Action] {
        do throws(KernelError) {
            try scanner.kernel.powerCycle(adapter)
            return machine.powerCycled(adapter, at: now)
        } catch {
            return machine.powerCycleFailed(adapter, error, at: now)
        }
    }

    private mutating func send(_ command: HCICommand) -> [ScannerStateMachine.Action] {
        do throws(KernelError) {
            try scanSocket?.send(command)
            return []
        } catch  where error.code == EAGAIN || error.code == ENOBUFS || error.code == ENOMEM {
            // No answer will come, and then it is sent again.
            return []
        } catch {
            return machine.scanSocketFailed(error, at: now)
        }
    }

    /// One wait for everything, or for everything but reports in a pause. A deadline in the past only looks.
    private mutating func wait(until deadline: Int64?) throws(KernelError) {
        var timeout: Int32 = -1
        let isPaused = now < pausedUntil
        if let deadline = isPaused ? min(deadline ?? .max, pausedUntil) : deadline {
            // Rounded up: waking too early would only mean to wait again.
            let now = scanner.kernel.now()
            let nanoseconds = deadline <= now ? 0 : deadline - now
            timeout = Int32(clamping: (nanoseconds / 1_000_000) + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
        }
        let events = Int16(POLLIN)
        // A negative descriptor is passed over.
        var descriptors: [3 of pollfd] = [
            pollfd(fd: scanner.wakeUp.number, events: events, revents: 0),
            pollfd(fd: hotPlugSocket?.number ?? -1, events: events, revents: 0),
            pollfd(fd: isPaused ? -1 : scanSocket?.number ?? -1, events: events, revents: 0),
        ]
        var span = descriptors.mutableSpan
        let result = unsafe span.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), timeout)
        }
        if result < 0 {
            let error = KernelError(last: .wait)
            // A signal ends the wait; its handler has run.
            if error.code != EINTR { throw error }
            return
        }
        if descriptors[0].revents != 0 { scanner.wakeUp.clear() }
        let failed = Int16(POLLERR | POLLHUP | POLLNVAL)
        failures = (descriptors[1].revents & failed != 0, descriptors[2].revents & failed != 0)
    }
}

/// The earlier of two times, nil being never.
private func earliest(_ first: Int64?, _ second: Int64?) -> Int64? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}

/// The times of packets on the scanner's clock, from the kernel's stamps: packets are read later than they come.
struct ReceptionClock: Sendable {
    /// The latest time that the delegate has received, in nanoseconds: no packet is earlier.
    var latest: Int64

    /// Returns the time of the next packet: not after the present, also if the wall clock was set since its reception.
    ///
    /// - Parameters:
    ///   - stamp: The time of its reception, in nanoseconds of the wall clock; `nil`: unknown.
    ///   - now: The present on the scanner's clock and on the wall clock.
    mutating func next(stamp: Int64?, readAt now: Moment) -> Int64 {
        let age = stamp.map { max(0, now.wall.subtractingClamped($0)) } ?? 0
        latest = max(latest, now.instant.subtractingClamped(age))
        return latest
    }
}

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
            // In this order: a packet may seem later than it was, as if it had no stamp, and never earlier.
            let wall = KernelClock.realtime
            now = scanner.kernel.now()
            fetched += 1
            deliver(batch, generation, &heard, readAt: wall)
        } while batch.count == PacketBatch.capacity && fetched < Self.batchesPerTurn && generation == self.generation
        if heard.report { perform(machine.reportReceived(at: now)) }
        if heard.event { delegate.scannerDidHearController(at: now) }
        // An answer is not kept waiting, nor a flood, which could fill the socket.
        let pauses = heard.report && fetched == 1 && !machine.awaitsAnswer
        pausedUntil = pauses ? now.addingClamped(Self.readingPause) : .min
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

    /// - Parameter wall: The present on the kernel's wall clock, in nanoseconds.
    private mutating func deliver(
        _ batch: borrowing PacketBatch, _ generation: Int, _ heard: inout Heard, readAt wall: Int64
    ) {
        for index in 0..<batch.count {
            let packet = batch[index]
            // What it holds is for the delegate to read: here only the header is looked at.
            if case .some = LEAdvertisingReports(packet) {
                heard.event = true
                let event = packet.extracting(droppingFirst: 1)
                let time = receptions.next(stamp: batch.time(of: index), readAt: Moment(instant: now, wall: wall))
                if delegate.scannerDidReceive(event, at: time) { heard.report = true }
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
