public import HCI
import OkaeriPlumbing

/// A controller, the advertisers around it, and the scripts that direct both.
///
/// It does no I/O: what happens comes in with its time, in nanoseconds of a clock that does not go back, and what is to
/// be done comes out. `started(at:)` is the first call; `advanced(to:)` is due at `nextDeadline`.
public struct Emulation: Sendable {
    public enum Action: Hashable, Sendable {
        /// Create the adapter.
        case open

        /// Remove it.
        case close

        case send([UInt8])

        case log(String)

        /// End the program.
        case quit(status: Int32)
    }

    var controller: EmulatedController
    let isVerbose: Bool

    /// Whether the adapter is there: between `vanish` and `return` it is not.
    var isPlugged = false
    var advertisers: [Advertiser] = []
    var flood: Flood?
    var batch = ReportBatch()
    var misbehaviour = Misbehaviour()

    /// One for each source of lines.
    private var players: [(source: String, player: ScriptPlayer)] = []

    /// The number of lines that each live source has sent.
    private var lineCounts: [String: Int] = [:]

    /// The actions to take, until the call returns.
    var actions: [Action] = []

    public init(kind: ControllerKind, address: BluetoothAddress, isVerbose: Bool = false) {
        controller = EmulatedController(kind: kind, address: address)
        self.isVerbose = isVerbose
    }

    /// The time at which `advanced(to:)` is due; in the past: at once. Nil: when something happens.
    public var nextDeadline: Int64? {
        let deadlines =
            players.map(\.player.nextDeadline) + advertisers.map(\.next)
            + [controller.nextDeadline, flood?.nextDeadline, batch.deadline]
        return deadlines.compactMap(\.self).min()
    }

    public mutating func started(at now: Int64) -> [Action] {
        plugIn()
        return takeActions()
    }

    public mutating func add(_ script: Script, at now: Int64) -> [Action] {
        append(script.lines, from: script.source, at: now)
        return advanced(to: now)
    }

    /// A line from a source that goes on. One that cannot be read is logged.
    public mutating func add(line: String, from source: String, at now: Int64) -> [Action] {
        let number = lineCounts[source, default: 0] + 1
        lineCounts[source] = number
        do throws(ScriptError) {
            if let line = try ScriptLine(line, source: source, number: number) {
                append([line], from: source, at: now)
            }
        } catch {
            log("error \(error)")
        }
        return advanced(to: now)
    }

    /// Time goes by.
    public mutating func advanced(to now: Int64) -> [Action] {
        playScripts(at: now)
        let outputs = controller.advanced(to: now)
        // What was heard before the scan ended comes before the event that ends it.
        if !outputs.isEmpty { flushBatch() }
        react(to: outputs)
        advertise(at: now)
        if let deadline = batch.deadline, deadline <= now { flushBatch() }
        return takeActions()
    }

    private mutating func append(_ lines: [ScriptLine], from source: String, at now: Int64) {
        if let index = players.firstIndex(where: { $0.source == source }) {
            players[index].player.append(lines, at: now)
        } else {
            var player = ScriptPlayer()
            player.append(lines, at: now)
            players.append((source, player))
        }
    }

    /// The instructions of all sources that are due, until none is: one may let another go on.
    private mutating func playScripts(at now: Int64) {
        var wasBusy = true
        while wasBusy {
            wasBusy = false
            for index in players.indices {
                let isScanning = isPlugged && controller.isScanning
                guard let line = players[index].player.next(at: now, isScanning: isScanning) else { continue }
                wasBusy = true
                carryOut(line, at: now)
            }
        }
    }

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func log(_ line: String) {
        actions.append(.log(line))
    }

    /// Sends a packet, as long as the adapter is there.
    mutating func send(_ packet: [UInt8]) {
        if isPlugged { actions.append(.send(packet)) }
    }
}

/// The advertisers, and the reports to the host.
extension Emulation {
    mutating func advertise(at now: Int64) {
        for index in advertisers.indices where advertisers[index].isDue(at: now) {
            advertise(index, at: now)
        }
        guard flood != nil else { return }
        for _ in 0..<Flood.turn {
            guard let number = flood?.next(at: now) else { break }
            if floodAdvertises(number, at: now) { flood?.heard += 1 }
        }
        guard let flood, flood.isOver else { return }
        self.flood = nil
        flushBatch()
        log("flood done count=\(flood.sent) heard=\(flood.heard)")
    }

    /// One advert of a flood. Returns whether it was reported.
    private mutating func floodAdvertises(_ number: Int, at now: Int64) -> Bool {
        guard let flood else { return false }
        guard flood.isIncluded(number),
            let index = advertisers.firstIndex(where: { $0.description.name == flood.plan.included })
        else { return report(flood.advert(number), at: now) }
        return advertise(index, at: now)
    }

    /// One advert, and the scan response if it is asked for. Returns whether the advert was reported.
    @discardableResult
    mutating func advertise(_ index: Int, at now: Int64) -> Bool {
        let advertiser = advertisers[index]
        let isReported = report(advertiser.advert(at: now), at: now) { emulation in
            emulation.advertisers[index].heard += 1
            if advertiser.heard == 0 {
                let level = advertiser.signal.level(at: now).level
                emulation.log("first advert \(advertiser.description.name) rssi=\(level)")
            }
        }
        if controller.isScanningActively, let response = advertiser.response(at: now) {
            report(response, at: now)
        }
        return isReported
    }

    /// Reports an advertisement to the host, if the controller receives it; `note` comes before what is sent.
    @discardableResult
    private mutating func report(
        _ advert: AdvertisingReport, at now: Int64, note: (inout Emulation) -> Void = { _ in }
    ) -> Bool {
        guard isPlugged, misbehaviour.stall == nil, let family = controller.heard(advert, at: now) else { return false }
        note(&self)
        do throws(HCIEncodingError) {
            for fragment in advert.fragments {
                sendReports(try batch.append(fragment, as: family, at: now))
            }
        } catch {
            log("error an advert could not be reported: \(error)")
        }
        return true
    }

    mutating func flushBatch() {
        do throws(HCIEncodingError) {
            sendReports(try batch.flush())
        } catch {
            log("error a batch of reports could not be sent: \(error)")
        }
    }

    private mutating func sendReports(_ packets: [[UInt8]]) {
        for packet in packets {
            guard misbehaviour.cuts > 0 else {
                send(packet)
                continue
            }
            misbehaviour.cuts -= 1
            log("cut a report event")
            send(Self.cut(packet))
        }
    }

    /// The event without the last of its bytes: its length is right, but its last report needs more.
    private static func cut(_ packet: [UInt8]) -> [UInt8] {
        let missing = 4
        var bytes = [UInt8](packet.dropLast(missing))
        bytes[2] -= UInt8(missing)
        return bytes
    }
}

extension Emulation {
    /// The first byte of the packets of /dev/vhci itself.
    private static let vendorPacket: UInt8 = 0xFF

    /// The host has sent an H4 packet, or the kernel has created the adapter: `FF 00` and its number.
    public mutating func received(_ packet: [UInt8], at now: Int64) -> [Action] {
        guard isPlugged, let type = packet.first else { return [] }
        switch type {
        case Self.vendorPacket where packet.count >= 4:
            let index = UInt16(packet[2]) | UInt16(packet[3]) << 8
            log("controller hci\(index) created (\(controller.kind.rawValue)) address=\(controller.address)")
        case HCIPacketType.command.rawValue:
            do throws(HCIDecodingError) {
                obey(try HCICommand(packet.span.bytes), at: now)
            } catch {
                log("error the host sent a command that cannot be read: \(error)")
            }
        default:
            log("ignored a packet of type \(hexadecimal(type)): there are no connections")
        }
        return takeActions() + advanced(to: now)
    }

    private mutating func obey(_ command: HCICommand, at now: Int64) {
        if isVerbose { log("command \(command.opcode) \(command.parameters.hexadecimal)") }
        switch misbehaviour.received(command.opcode) {
        case .ignore:
            log("ignored \(command.opcode)")
        case .refuse(let status):
            log("refused \(command.opcode) status=\(hexadecimal(status.rawValue))")
            react(to: [EmulatedController.refusal(command.opcode, status)])
        case .obey:
            let wasScanning = controller.isScanning
            let outputs = controller.received(command, at: now)
            // Reports of a scan that has ended do not come after the answer that ends it.
            if wasScanning, !controller.isScanning { batch.discard() }
            react(to: outputs)
            endStall(after: command, outputs)
        }
    }

    /// Ends a stall if the command ends it: the host enables the scan again, or resets the controller.
    private mutating func endStall(after command: HCICommand, _ outputs: [EmulatedController.Output]) {
        let isMended: Bool
        switch misbehaviour.stall {
        case .enable: isMended = isEnable(command) && controller.isScanning && outputs.contains(where: \.isSuccess)
        case .reset: isMended = command.opcode == .reset
        case .resume, .none: isMended = false
        }
        if isMended { resume() }
    }

    private func isEnable(_ command: HCICommand) -> Bool {
        (command.opcode == .leSetScanEnable || command.opcode == .leSetExtendedScanEnable)
            && command.parameters.first == 1
    }

    mutating func resume() {
        if misbehaviour.stall != nil { log("resumed") }
        misbehaviour.stall = nil
    }

    mutating func react(to outputs: [EmulatedController.Output]) {
        for output in outputs {
            switch output {
            case .event(let event):
                do throws(HCIEncodingError) {
                    let packet = try event.packet()
                    if isVerbose { log("event \(packet.dropFirst().map { $0 }.hexadecimal)") }
                    send(packet)
                } catch {
                    log("error an event could not be sent: \(error)")
                }
            case .log(let line):
                log(line)
            }
        }
    }

    /// The adapter is plugged in, with nothing set.
    mutating func plugIn() {
        isPlugged = true
        controller.state = .init()
        actions.append(.open)
    }

    mutating func unplug() {
        isPlugged = false
        controller.state = .init()
        batch.discard()
        actions.append(.close)
        log("vanished")
        switch misbehaviour.stall {
        case .enable, .reset: resume()
        case .resume, .none: break
        }
    }

    /// The controller breaks down: it reports that, and has lost its state.
    mutating func breakDown(_ code: UInt8) {
        batch.discard()
        log("hardware error \(hexadecimal(code))")
        react(to: controller.forget() + [.event(.hardwareError(code: code))])
    }
}

extension EmulatedController.Output {
    fileprivate var isSuccess: Bool {
        switch self {
        case .event(.commandComplete(let complete)): complete.status == .success
        case .event, .log: false
        }
    }
}

extension Emulation {
    /// Carries out a line of a script; one that cannot be is logged.
    mutating func carryOut(_ line: ScriptLine, at now: Int64) {
        do throws(ScriptMistake) {
            try carryOut(line.instruction, at: now)
        } catch {
            log("error \(ScriptError(source: line.source, line: line.number, mistake: error))")
        }
    }

    private mutating func carryOut(_ instruction: Instruction, at now: Int64) throws(ScriptMistake) {
        switch instruction {
        case .wait:
            // The player has waited.
            break
        case .describe(let description):
            advertisers.removeAll { $0.description.name == description.name }
            advertisers.append(Advertiser(description))
        case .start(let names):
            for index in try indices(of: names) {
                advertisers[index].start(at: now)
                log("started \(advertisers[index].description.name)")
            }
        case .stop(let names):
            for index in try indices(of: names) {
                advertisers[index].stop()
                log("stopped \(advertisers[index].description.name) heard=\(advertisers[index].heard)")
            }
        case .send(let name, let count):
            let index = try index(of: name)
            for _ in 0..<count { advertise(index, at: now) }
        case .signal(let name, let first, let others, let step):
            advertisers[try index(of: name)].signal = Signal(first: first, others: others, step: step, from: now)
            log("rssi \(name) \(([first] + others).map(\.level).joined(separator: " "))")
        case .address(let name, let address):
            advertisers[try index(of: name)].description.address = address
            log("address \(name) \(address)")
        case .flood(let plan):
            if let flood {
                throw ScriptMistake(
                    found: "a flood during a flood",
                    expected: "the first to be done: \(flood.sent) of \(flood.plan.count) adverts were sent")
            }
            if let name = plan.included { _ = try index(of: name) }
            flood = Flood(plan, at: now)
            log("flood started count=\(plan.count) addresses=\(plan.addresses)")
        case .batch(let size):
            batch.size = size
            log("batch \(size)")
        case .windows(let windows):
            controller.ignoresWindows = windows == .off
            log("windows \(windows.rawValue)")
        case .log(let text):
            log(text)
        case .quit(let status):
            actions.append(.quit(status: status))
        case .fault(let fault):
            try carryOut(fault)
        }
    }

    private mutating func carryOut(_ fault: Instruction.Fault) throws(ScriptMistake) {
        switch fault {
        case .ignore(let commands):
            misbehaviour.ignore(commands)
            log("ignoring \(commands)")
        case .refuse(let opcode, let status, let times):
            misbehaviour.refuse(opcode, status, times: times)
            log("refusing \(opcode) status=\(hexadecimal(status.rawValue))\(times.map { " times=\($0)" } ?? "")")
        case .answer(let commands):
            misbehaviour.answer(commands)
            log("answering \(commands)")
        case .stall(let end):
            misbehaviour.stall = end
            log("stalled until=\(end.rawValue)")
        case .resume:
            resume()
        case .hardwareError(let code):
            breakDown(code)
        case .vanish:
            guard isPlugged else { throw ScriptMistake(found: "vanish", expected: "the adapter to be plugged in") }
            unplug()
        case .plugIn:
            guard !isPlugged else { throw ScriptMistake(found: "return", expected: "vanish before it") }
            plugIn()
        case .cut(let times):
            misbehaviour.cuts = times
            log("cutting \(times)")
        case .packet(let bytes):
            send(bytes)
            log("sent a packet of \(bytes.count) bytes")
        }
    }

    private func index(of name: String) throws(ScriptMistake) -> Int {
        guard let index = advertisers.firstIndex(where: { $0.description.name == name }) else {
            let known = advertisers.map(\.description.name)
            throw ScriptMistake(
                found: "the advertiser '\(name)'",
                expected: known.isEmpty ? "it to be described first" : "one of \(known.joined(separator: ", "))")
        }
        return index
    }

    /// All of them, or none when one is not known.
    private func indices(of names: [String]) throws(ScriptMistake) -> [Int] {
        var indices: [Int] = []
        for name in names { indices.append(try index(of: name)) }
        return indices
    }
}

extension Instruction.Commands: CustomStringConvertible {
    var description: String {
        switch self {
        case .all: "commands"
        case .some(let opcodes): opcodes.map(\.description).joined(separator: ", ")
        }
    }
}
