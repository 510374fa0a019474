import HCI
import Plumbing

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
