import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriControllerEmulation
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Synchronization

/// The scanner's state machine, an emulated controller and a presence driver in closed loop, on virtual time: no thread, no socket, no
/// wall clock. Each transmission goes through the controller's scan window.
struct ClosedLoop {
    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    /// The entries and exits.
    private final class Log: Sendable {
        let events = Mutex<[(isEntry: Bool, time: Int64)]>([])
    }

    private static let beacon = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let adapter = Adapter(index: 0, name: "hci0", isUp: true)

    private var machine: ScannerStateMachine
    private let driver: PresenceDriver
    private var emulation: Emulation
    private let log = Log()
    private(set) var now: Int64 = 0
    private var driverDeadline: Int64?

    /// The time of each mode, by its reason, and the number of changes of the timing.
    private(set) var times: [ScanMode.Reason: Int64] = [:]
    private(set) var changes = 0
    private var mode: (ScanMode, since: Int64)?

    /// - Parameter usesWiFi: Whether 2.4 GHz Wi-Fi is in use.
    init?(_ setting: ScanSetting, sensitivity: Sensitivity, usesWiFi: Bool) {
        guard let uuid = BeaconUUID(Self.beacon), let address = BluetoothAddress("02:00:00:00:00:01") else {
            return nil
        }
        let sign = RegionSign(.beacon(.minor(uuid, 100, 100)), sensitivity: sensitivity)
        let region = MonitoredRegion(identifier: "home", sign)
        var parameters = ScannerParameters()
        parameters.scan = setting
        parameters.quietPeriod = RadioLiveness.quietPeriod(for: [region])
        machine = ScannerStateMachine(adapter: "hci0", parameters: parameters)
        emulation = Emulation(kind: .extended, address: address)
        driver = PresenceDriver(regions: [region], clock: Clock(), quietPeriod: parameters.quietPeriod) {
            [log] event, moment in
            switch event {
            case .action(.didEnterRegion, _): log.events.withLock { $0.append((true, moment.instant)) }
            case .action(.didExitRegion, _): log.events.withLock { $0.append((false, moment.instant)) }
            case .action, .bluetoothStateDidUpdate, .monitoringDidFail: break
            }
        }
        handle(emulation.started(at: now))
        // The settings of Linux.
        handle(emulation.received(HCICommand(SetEventMask(mask: .max)).packet, at: now))
        handle(emulation.received(HCICommand(LESetEventMask(mask: .max)).packet, at: now))
        for line in ["beacon tag uuid=\(Self.beacon) major=100 minor=100", "raw neighbour data=020106"] {
            handle(emulation.add(line: line, from: "bench", at: now))
        }
        driver.scannerWillStart(at: now)
        perform(machine.wifiChanged(isUsed: usesWiFi, at: now))
        perform(machine.started(at: now))
    }

    /// The exits, in nanoseconds.
    var exits: [Int64] { log.events.withLock { $0.filter { !$0.isEntry }.map(\.time) } }

    /// The part of the time in which the scan windows were open.
    var antennaShare: Double {
        let listened = driver.snapshot(at: Instant(nanoseconds: now)).listened
        return listened.total > .zero ? listened.open / listened.total : 0
    }

    /// The part of the time in which a late beacon made the scan continuous.
    var lateShare: Double {
        var late = times[.lateBeacon] ?? 0
        if let (mode, since) = mode, mode.reason == .lateBeacon { late += now - since }
        return now > 0 ? Double(late) / Double(now) : 0
    }

    /// Sends one advertisement of the tag or of the neighbour, at a signal in dBm.
    mutating func transmit(_ name: String, rssi: Int) {
        handle(emulation.add(line: "rssi \(name) \(rssi)", from: "bench", at: now))
        handle(emulation.add(line: "send \(name)", from: "bench", at: now))
        finishTurn()
    }

    /// Lets time pass, from one deadline to the next.
    mutating func advance(to end: Int64) {
        while true {
            let due = [machine.nextDeadline, driverDeadline, emulation.nextDeadline].compactMap(\.self).min()
            guard let due, due <= end else { break }
            now = max(now, due)
            machine.silenceLimit = driver.silenceLimit
            perform(machine.advanced(to: now))
            handle(emulation.advanced(to: now))
            finishTurn()
        }
        now = end
    }

    private mutating func finishTurn() {
        driverDeadline = driver.scannerDidFinishTurn(at: now)
        if machine.heedsLateBeacons, driver.wantsContinuousScan != machine.isBeaconLate {
            perform(machine.lateBeaconChanged(!machine.isBeaconLate, at: now))
            driverDeadline = driver.scannerDidFinishTurn(at: now)
        }
    }

    private mutating func perform(_ actions: [ScannerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .openHotPlugSocket: perform(machine.hotPlugOpened(at: now))
            case .inspectAdapters: perform(machine.adaptersInspected([Self.adapter], at: now))
            case .openScanSocket: perform(machine.scanSocketOpened(at: now))
            case .send(let command): handle(emulation.received(command.packet, at: now))
            case .update(let update): driver.scannerDidUpdate(update, at: now)
            case .listening(let timing): driver.scannerDidChangeListening(timing, at: now)
            case .mode(let new): modeChanged(to: new)
            case .closeScanSocket, .powerCycle, .finish: break
            }
        }
    }

    private mutating func modeChanged(to new: ScanMode) {
        if let (old, since) = mode {
            times[old.reason, default: 0] += now - since
            if old.timing != new.timing { changes += 1 }
        }
        mode = (new, now)
        driver.scannerDidChoose(new, at: now)
    }

    private mutating func handle(_ actions: [Emulation.Action]) {
        for case .send(let packet) in actions {
            if LEAdvertisingReports(packet.span.bytes) != nil {
                let isWellFormed = driver.scannerDidReceive(packet.span.bytes.extracting(droppingFirst: 1), at: now)
                if isWellFormed { perform(machine.reportReceived(at: now)) }
                driver.scannerDidHearController(at: now)
            } else if let event = try? HCIEvent(packet.span.bytes) {
                driver.scannerDidHearController(at: now)
                perform(machine.eventReceived(event, at: now))
            }
        }
    }
}
