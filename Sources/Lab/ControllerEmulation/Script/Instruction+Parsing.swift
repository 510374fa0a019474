import HCI

extension Instruction {
    init(_ line: inout Arguments) throws(ScriptMistake) {
        self = try Self.read(&line)
        try line.finish()
    }

    private static let verbs = [
        "at", "wait", "beacon", "raw", "start", "stop", "send", "rssi", "address", "ignore", "refuse", "answer",
        "stall", "resume", "hardware-error", "vanish", "return", "flood", "batch", "windows", "cut", "packet", "log",
        "quit",
    ]

    private static func read(_ line: inout Arguments) throws(ScriptMistake) -> Instruction {
        switch line.verb {
        case "wait": return .wait(try Wait(&line))
        case "beacon": return .describe(try .beacon(&line))
        case "raw": return .describe(try .raw(&line))
        case "start": return .start(try line.allWords("a name", Value.name))
        case "stop": return .stop(try line.allWords("a name", Value.name))
        case "send":
            let name = try line.word("a name")
            return .send(name, count: try line.setting("count", Value.integer(in: 1...1000)) ?? 1)
        case "rssi": return try signal(&line)
        case "address": return .address(try line.word("a name"), try line.word("an address", Value.address))
        case "flood": return .flood(try Flood.Plan(&line))
        case "batch":
            return .batch(try line.word("a number", Value.integer(in: 1...HCIEvent.maximumLegacyReports)))
        case "windows": return .windows(try line.word("on or off", Value.choice(of: Switch.self)))
        case "log": return .log(line.takeText())
        case "quit": return .quit(status: try line.optionalWord(Value.integer(in: 0...255)) ?? 0)
        default:
            guard let fault = try Fault(&line) else {
                throw ScriptMistake(found: "'\(line.verb)'", expected: "one of \(verbs.joined(separator: ", "))")
            }
            return .fault(fault)
        }
    }

    private static func signal(_ line: inout Arguments) throws(ScriptMistake) -> Instruction {
        let name = try line.word("a name")
        let levels = try line.allWords("a signal strength in dBm", Value.level)
        let step = try line.setting("every", Value.time(in: 1_000_000...86_400_000_000_000))
        return .signal(name, first: levels[0], others: Array(levels.dropFirst()), step: step ?? 1_000_000_000)
    }
}

extension Instruction.Wait {
    fileprivate init(_ line: inout Arguments) throws(ScriptMistake) {
        let word = try line.word("a time, scan or no-scan")
        switch word {
        case "scan": self = .scan
        case "no-scan": self = .noScan
        default: self = .time(try Value.time(word))
        }
    }
}

extension Instruction.Commands {
    init(_ line: inout Arguments) throws(ScriptMistake) {
        let first = try line.word("commands, or opcodes")
        if first == "commands" {
            self = .all
        } else {
            var opcodes = [try Value.opcode(first)]
            while let next = try line.optionalWord(Value.opcode) { opcodes.append(next) }
            self = .some(opcodes)
        }
    }
}
