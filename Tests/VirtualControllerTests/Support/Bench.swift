import HCI
import OkaeriControllerEmulation
import Testing

/// An emulation with a clock that stands still until it is moved, and a host that only listens.
struct Bench {
    var emulation: Emulation
    var now: Int64 = 1_000_000_000

    /// Everything since `forget`.
    var actions: [Emulation.Action] = []

    init(_ kind: ControllerKind = .legacy, isVerbose: Bool = false, script: String? = nil) throws {
        let address = try #require(BluetoothAddress("02:00:00:00:00:01"))
        emulation = Emulation(kind: kind, address: address, isVerbose: isVerbose)
        actions += emulation.started(at: now)
        actions += emulation.received([0xFF, 0x00, 0x02, 0x00], at: now)
        if let script {
            actions += emulation.add(try Script.parse(script, source: "test").get(), at: now)
        }
    }

    var log: [String] {
        actions.compactMap { if case .log(let line) = $0 { line } else { nil } }
    }

    var packets: [[UInt8]] {
        actions.compactMap { if case .send(let packet) = $0 { packet } else { nil } }
    }

    /// All reports, as the project's own decoder reads them.
    var reports: [AdvertisingReport] {
        packets.flatMap { readReports($0).reports }
    }

    mutating func forget() {
        actions = []
    }

    /// A line on the FIFO.
    mutating func writeControl(_ line: String) {
        actions += emulation.add(line: line, from: "control", at: now)
    }

    /// A command of the host; returns the events that come at once.
    @discardableResult
    mutating func send(_ command: HCICommand) throws -> [HCIEvent] {
        let new = emulation.received(command.packet, at: now)
        actions += new
        return try new.compactMap { action in
            guard case .send(let packet) = action else { return nil }
            return try HCIEvent(packet.span.bytes)
        }
    }

    /// A command by its number; returns what Command Complete returns, the status first.
    mutating func ask(_ opcode: UInt16, _ parameters: [UInt8] = []) throws -> [UInt8]? {
        let command = try HCICommand(opcode: HCIOpcode(rawValue: opcode), parameters: parameters)
        guard case .commandComplete(let complete) = try send(command).first else { return nil }
        #expect(complete.opcode == command.opcode)
        #expect(complete.commandsAllowed == 1)
        return complete.returnParameters
    }

    /// The status a command ends with, or begins with.
    @discardableResult
    mutating func status(_ command: HCICommand) throws -> HCIStatus? {
        switch try send(command).first {
        case .commandComplete(let complete): complete.status
        case .commandStatus(let status): status.status
        default: nil
        }
    }

    /// The settings of Linux before it scans.
    mutating func unmask() throws {
        try status(HCICommand(SetEventMask(mask: .max)))
        try status(HCICommand(LESetEventMask(mask: .max)))
    }

    /// Scans, by legacy or extended commands.
    mutating func scan(
        _ kind: ControllerKind = .legacy, type: ScanType = .passive, filtersDuplicates: Bool = false,
        policy: ScanFilterPolicy = .everyone, timing: ScanTiming = .continuous
    ) throws {
        try unmask()
        switch kind {
        case .legacy, .classic:
            try status(HCICommand(LESetScanParameters(type: type, timing: timing, filterPolicy: policy)))
            try status(HCICommand(LESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates)))
        case .extended:
            try status(
                HCICommand(LESetExtendedScanParameters(filterPolicy: policy, le1M: .init(type: type, timing: timing))))
            try status(
                HCICommand(
                    LESetExtendedScanEnable(isEnabled: true, duplicateFilter: filtersDuplicates ? .on : .off)))
        }
        forget()
    }

    /// Lets time go by, from one deadline to the next.
    mutating func run(for seconds: Double) {
        let end = now + Int64(seconds * 1e9)
        while let deadline = emulation.nextDeadline, deadline <= end {
            now = max(now, deadline)
            actions += emulation.advanced(to: now)
        }
        now = end
        actions += emulation.advanced(to: now)
    }
}

/// Reads a packet's reports, and returns whether it was cut.
func readReports(_ packet: [UInt8]) -> (reports: [AdvertisingReport], isCut: Bool) {
    guard var reader = LEAdvertisingReports(packet.span.bytes) else { return ([], false) }
    var reports: [AdvertisingReport] = []
    do {
        while let report = try reader.next() { reports.append(AdvertisingReport(report)) }
    } catch {
        return (reports, true)
    }
    return (reports, false)
}

/// The beacon of most tests.
let home = "beacon home uuid=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 major=100 minor=7 address=C0:11:22:33:44:55"
