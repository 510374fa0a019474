import HCI
import IBeacon

enum Instruction: Hashable, Sendable {
    case wait(Wait)
    case describe(AdvertiserDescription)
    case start([String])
    case stop([String])
    case send(String, count: Int)
    case signal(String, first: Int8?, others: [Int8?], step: Int64)
    case address(String, BluetoothAddress)
    case flood(Flood.Plan)
    case batch(Int)
    /// Whether advertisements between the scan windows are lost.
    case windows(Switch)
    case fault(Fault)
    case log(String)
    case quit(status: Int32)
}

extension Instruction {
    enum Switch: String, Hashable, Sendable, CaseIterable {
        case on
        case off
    }

    enum Fault: Hashable, Sendable {
        case ignore(Commands)
        case refuse(HCIOpcode, HCIStatus, times: Int?)
        case answer(Commands)
        case stall(StallEnd)
        case resume
        case hardwareError(UInt8)
        case vanish
        case plugIn
        case cut(times: Int)
        case packet([UInt8])
    }

    enum Wait: Hashable, Sendable {
        /// In nanoseconds.
        case time(Int64)
        case scan
        case noScan
    }

    enum Commands: Hashable, Sendable {
        case all
        case some([HCIOpcode])
    }

    /// The event that ends a stall, besides `resume`.
    enum StallEnd: String, Hashable, Sendable, CaseIterable {
        case enable
        case reset
        case resume
    }
}

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

extension AdvertiserDescription {
    /// The range for legacy advertising (Vol 4, Part E, Section 7.8.5), in nanoseconds.
    private static let intervals: ClosedRange<Int64> = 20_000_000...10_240_000_000

    private init(name: String, data: [UInt8]) {
        self.init(
            name: name, address: Self.address(for: name), addressType: .random, pdu: .nonconnectable, data: data,
            response: nil, interval: 100_000_000, level: -70)
    }

    static func beacon(_ line: inout Arguments) throws(ScriptMistake) -> AdvertiserDescription {
        let name = try line.word("a name", Value.name)
        let identity = BeaconIdentity(
            uuid: try line.required("uuid", Value.uuid), major: try line.required("major", Value.integer()),
            minor: try line.required("minor", Value.integer()))
        let power: Int8 = try line.setting("power", Value.integer()) ?? -59
        let frame = IBeaconFrame(identity: identity, measuredPower: power)
        var description = AdvertiserDescription(name: name, data: frame.advertisingData)
        try description.readSettings(&line)
        return description
    }

    static func raw(_ line: inout Arguments) throws(ScriptMistake) -> AdvertiserDescription {
        let name = try line.word("a name", Value.name)
        let data = try line.required("data", Value.bytes(limit: Advertiser.maximumDataLength))
        var description = AdvertiserDescription(name: name, data: data)
        description.response = try line.setting(
            "response", Value.bytes(limit: AdvertisingReport.maximumLegacyDataLength))
        description.pdu = try line.setting("type", Value.choice()) ?? .nonconnectable
        if description.response != nil, !description.pdu.isScannable {
            throw ScriptMistake(found: "a response of what is not scannable", expected: "type=scannable or connectable")
        }
        if data.count > AdvertisingReport.maximumLegacyDataLength, description.pdu.isScannable {
            // A scannable extended PDU has no advertising data (Vol 4, Part E, Section 7.8.54).
            throw ScriptMistake(
                found: "\(data.count) bytes of data of what is \(description.pdu.rawValue)",
                expected: "at most \(AdvertisingReport.maximumLegacyDataLength), or type=nonconnectable")
        }
        try description.readSettings(&line)
        return description
    }

    private mutating func readSettings(_ line: inout Arguments) throws(ScriptMistake) {
        address = try line.setting("address", Value.address) ?? address
        if let type: AddressType = try line.setting("address-type", Value.choice()) {
            switch type {
            case .public: addressType = .public
            case .random: addressType = .random
            }
        }
        interval = try line.setting("interval", Value.time(in: Self.intervals)) ?? interval
        level = try line.setting("rssi", Value.level) ?? level
    }

    private enum AddressType: String, CaseIterable {
        case `public`
        case random
    }
}

extension Flood.Plan {
    init(_ line: inout Arguments) throws(ScriptMistake) {
        count = try line.required("count", Value.integer(in: 1...10_000_000))
        addresses = try line.setting("addresses", Value.integer(in: 1...1_000_000)) ?? 1000
        rate = try line.setting("rate", Self.rate) ?? nil
        included = try line.setting("include", Value.name)
        kind = try line.setting("kind", Value.choice()) ?? .adverts
    }

    /// `max`, which is not a number, or so many a second.
    private static func rate(_ text: String) throws(ScriptMistake) -> Int? {
        text == "max" ? nil : try Value.integer(in: 1...1_000_000)(text)
    }
}
