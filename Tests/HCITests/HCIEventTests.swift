import HCI
import Testing

@Suite struct HCIEventTests {
    static let samples: [(HCIEvent, [UInt8])] = [
        (
            .commandComplete(CommandComplete(opcode: .leSetScanEnable, status: .commandDisallowed)),
            [0x04, 0x0E, 0x04, 0x01, 0x0C, 0x20, 0x0C]
        ),
        (
            .commandStatus(
                CommandStatus(opcode: .leSetExtendedScanEnable, status: .unknownCommand, commandsAllowed: 2)),
            [0x04, 0x0F, 0x04, 0x01, 0x02, 0x42, 0x20]
        ),
        (.hardwareError(code: 0x42), [0x04, 0x10, 0x01, 0x42]),
        (.leMeta(.scanTimeout, parameters: []), [0x04, 0x3E, 0x01, 0x11]),
        (.device(DeviceEvent(.down, index: 1)), [0x04, 0xFD, 0x06, 0x01, 0x00, 0x04, 0x00, 0x01, 0x00]),
        (.other(HCIEventCode(rawValue: 0x05), parameters: [1, 2, 3]), [0x04, 0x05, 0x03, 0x01, 0x02, 0x03]),
    ]

    @Test(arguments: samples)
    func `events are encoded as the specification's bytes`(_ event: HCIEvent, _ packet: [UInt8]) throws {
        #expect(try event.packet() == packet)
        #expect(try HCIEvent(packet.span.bytes) == event)
        #expect(try HCIEvent((packet + [0xEE]).span.bytes) == event)
    }

    @Test(arguments: samples)
    func `a cut packet is refused at every length`(_ event: HCIEvent, _ packet: [UInt8]) {
        for length in 0..<packet.count {
            #expect(throws: HCIDecodingError.self) { try HCIEvent(packet.span.bytes.extracting(first: length)) }
        }
    }

    @Test(arguments: [
        (HCIEventCode.commandComplete, 3), (.commandStatus, 4), (.hardwareError, 1), (.leMeta, 1),
    ])
    func `parameters that are too short are refused`(_ code: HCIEventCode, _ needed: Int) throws {
        for length in 0..<needed {
            let packet = [0x04, code.rawValue, UInt8(length)] + [UInt8](repeating: 0, count: length)
            #expect(throws: HCIDecodingError.self) { try HCIEvent(packet.span.bytes) }
        }
        _ = try HCIEvent(([0x04, code.rawValue, UInt8(needed)] + [UInt8](repeating: 0, count: needed)).span.bytes)
    }

    @Test(
        arguments: [
            (DeviceEvent.Change.registered, 1), (.unregistered, 2), (.up, 3), (.down, 4),
        ] as [(DeviceEvent.Change, UInt8)])
    func `device events have the kernel's numbers`(_ change: DeviceEvent.Change, _ number: UInt8) throws {
        let packet: [UInt8] = [0x04, 0xFD, 0x06, 0x01, 0x00, number, 0x00, 0x05, 0x00]
        #expect(try HCIEvent(packet.span.bytes) == .device(DeviceEvent(change, index: 5)))
    }

    @Test(arguments: [[0x02, 0x00, 0x03, 0x00, 0x00, 0x00], [0x01, 0x00, 0x05, 0x00, 0x00, 0x00]] as [[UInt8]])
    func `other events of the stack are not errors`(_ parameters: [UInt8]) throws {
        let event = try HCIEvent(.stackInternal, parameters: parameters)
        #expect(event == .other(.stackInternal, parameters: parameters))
    }

    @Test func `a command complete without parameters has no status`() throws {
        let packet: [UInt8] = [0x04, 0x0E, 0x03, 0x01, 0x00, 0x00]
        let event = try HCIEvent(packet.span.bytes)
        #expect(event == .commandComplete(CommandComplete(opcode: .none, returnParameters: [])))
        #expect(CommandComplete(opcode: .none, returnParameters: []).status == nil)
    }

    @Test func `parameters fit one byte of length`() throws {
        let limit = HCIEvent.maximumParameterLength
        let code = HCIEventCode(rawValue: 0xFF)
        #expect(try HCIEvent.other(code, parameters: [UInt8](repeating: 0, count: limit)).packet().count == limit + 3)
        #expect(throws: HCIEncodingError.parametersTooLong(count: limit + 1, limit: limit)) {
            try HCIEvent.other(code, parameters: [UInt8](repeating: 0, count: limit + 1)).packet()
        }
    }

    @Test func `extended scanning needs both commands`() throws {
        var commands = SupportedCommands()
        #expect(!commands.supportsExtendedScanning)
        commands.insert(octet: 37, bit: 5)
        #expect(!commands.supportsExtendedScanning)
        commands.insert(octet: 37, bit: 6)
        #expect(commands.supportsExtendedScanning)
        #expect(commands.octets[37] == 0x60)
        #expect(try SupportedCommands(commands.octets.span.bytes) == commands)
        #expect(throws: HCIDecodingError.self) {
            try SupportedCommands(commands.octets.span.bytes.extracting(first: 63))
        }
    }

    @Test func `bits beyond the mask are absent`() {
        var commands = SupportedCommands()
        commands.insert(octet: 64, bit: 0)
        commands.insert(octet: 0, bit: 8)
        commands.insert(octet: -1, bit: -1)
        #expect(commands == SupportedCommands())
        #expect(!commands.contains(octet: 64, bit: 0))
        #expect(!commands.contains(octet: 0, bit: 8))
    }

    @Test func `statuses are named`() {
        #expect(HCIStatus.commandDisallowed.description == "Command Disallowed (0x0C)")
        #expect(HCIStatus(rawValue: 0x77).description == "Status (0x77)")
    }
}
