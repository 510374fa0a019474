import Glibc
import HCI
import OkaeriBluetooth
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization

/// A scanner's state machine and a presence driver, with a controller that answers every command at once and receives what is
/// in the air, on a clock that is moved by hand.
struct Household {
    /// The advertisers, once a second.
    enum Device { case beacon, neighbour }

    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    /// The events, in order.
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    static let adapter = Adapter(index: 0, name: "hci0", isUp: true)

    var air: Set<Device> = []
    var isDeaf = false
    var doesPowerCycleHelp = true
    var hasConnections = false
    private(set) var powerCycles = 0
    private var machine: ScannerStateMachine
    private let driver: PresenceDriver
    private let log = Log()
    private var now: Int64 = 0

    /// Scans from the start, with a region whose exit time is 30 s.
    init() {
        let regions = [monitored(30)]
        var parameters = ScannerParameters()
        parameters.quietPeriod = RadioLiveness.quietPeriod(for: regions)
        parameters.powerCyclePeriod = .seconds(3600)
        machine = ScannerStateMachine(adapter: "hci0", parameters: parameters)
        driver = PresenceDriver(regions: regions, clock: Clock(), quietPeriod: parameters.quietPeriod) {
            [log] event, _ in
            log.lines.withLock { $0 += Self.line(event).map { [$0] } ?? [] }
        }
        driver.scannerWillStart(at: now)
        perform(machine.started(at: now))
    }

    /// The events since the last call: states of the region and of Bluetooth, entries and exits.
    mutating func events() -> [String] {
        log.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private static func line(_ event: PresenceEvent) -> String? {
        switch event {
        case .bluetoothStateDidUpdate(let update): update.state.rawValue
        case .action(.didDetermineState(_, let state), _): state.rawValue
        case .action(.didEnterRegion, _): "enter"
        case .action(.didExitRegion, _): "exit"
        case .action, .monitoringDidFail: nil
        }
    }

    /// Lets time pass.
    mutating func pass(_ seconds: Double) {
        let end = now + nanoseconds(seconds)
        while now < end {
            now = min(end, now + 100_000_000)
            if now % 1_000_000_000 == 0 { receive() }
            machine.silenceLimit = driver.silenceLimit
            perform(machine.advanced(to: now))
            _ = driver.scannerDidFinishTurn(at: now)
        }
    }

    /// The neighbour comes first: its report alone does not show that the beacon is there.
    private mutating func receive() {
        guard !isDeaf, !air.isEmpty else { return }
        if air.contains(.neighbour) { _ = driver.scannerDidReceive(Self.advertisement.span.bytes, at: now) }
        if air.contains(.neighbour), air.contains(.beacon) { _ = driver.scannerDidFinishTurn(at: now) }
        if air.contains(.beacon) { _ = driver.scannerDidReceive(event().span.bytes, at: now) }
        perform(machine.reportReceived(at: now))
        driver.scannerDidHearController(at: now)
    }

    /// An advertisement that is not a beacon's, from the event code on.
    private static let advertisement: [UInt8] = [
        0x3E, 15, 0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, 3, 0x02, 0x01, 0x06, 0xA6,
    ]

    private mutating func perform(_ actions: [ScannerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .openHotPlugSocket: perform(machine.hotPlugOpened(at: now))
            case .inspectAdapters: perform(machine.adaptersInspected([Self.adapter], at: now))
            case .openScanSocket: perform(machine.scanSocketOpened(at: now))
            case .powerCycle(let adapter): powerCycle(adapter)
            case .send(let command): answer(command)
            case .update(let update): driver.scannerDidUpdate(update, at: now)
            case .listening(let timing): driver.scannerDidChangeListening(timing, at: now)
            case .mode(let mode): driver.scannerDidChoose(mode, at: now)
            case .closeScanSocket, .finish: break
            }
        }
    }

    private mutating func answer(_ command: HCICommand) {
        let octets = command.opcode == .readLocalSupportedCommands ? SupportedCommands().octets : []
        let reply = CommandComplete(opcode: command.opcode, status: .success, returnParameters: octets)
        driver.scannerDidHearController(at: now)
        perform(machine.eventReceived(.commandComplete(reply), at: now))
    }

    private mutating func powerCycle(_ adapter: Adapter) {
        if hasConnections {
            let error = KernelError(.switchOff, code: EBUSY)
            return perform(machine.powerCycleFailed(adapter, error, at: now))
        }
        powerCycles += 1
        if doesPowerCycleHelp { isDeaf = false }
        perform(machine.powerCycled(adapter, at: now))
        for change in [DeviceEvent.Change.down, .up] {
            perform(machine.eventReceived(.device(DeviceEvent(change, index: adapter.index)), at: now))
        }
    }
}
