import HCI

extension Instruction.Fault {
    /// Reads a fault; nil when the verb is that of something else.
    init?(_ line: inout Arguments) throws(ScriptMistake) {
        switch line.verb {
        case "ignore": self = .ignore(try Instruction.Commands(&line))
        case "answer": self = .answer(try Instruction.Commands(&line))
        case "refuse":
            let opcode = try line.word("a command's opcode", Value.opcode)
            let status = try line.setting("status", Value.integer(in: UInt8(1)...255))
            let times = try line.setting("times", Value.integer(in: 1...1_000_000))
            self = .refuse(opcode, status.map(HCIStatus.init(rawValue:)) ?? .commandDisallowed, times: times)
        case "stall": self = .stall(try line.setting("until", Value.choice()) ?? .enable)
        case "resume": self = .resume
        case "hardware-error": self = .hardwareError(try line.optionalWord(Value.integer()) ?? 0x05)
        case "vanish": self = .vanish
        case "return": self = .plugIn
        case "cut":
            self = .cut(times: try line.setting("times", Value.integer(in: 1...1_000_000)) ?? 1)
        case "packet":
            let bytes = try line.word("bytes", Value.bytes(limit: 1024))
            guard bytes.count >= 2 else {
                throw ScriptMistake(found: "\(bytes.count) bytes", expected: "a packet, from its type on")
            }
            self = .packet(bytes)
        default: return nil
        }
    }
}
