import HCI
import Testing

@Suite struct HCICommandTests {
    @Test func `every typed command is encoded as the specification's bytes`() throws {
        let timing = try ScanTiming(interval: ScanTime(units: 0x0010), window: ScanTime(units: 0x0008))
        #expect(HCICommand(Reset()).packet == [0x01, 0x03, 0x0C, 0x00])
        #expect(HCICommand(ReadLocalSupportedCommands()).packet == [0x01, 0x02, 0x10, 0x00])
        #expect(
            HCICommand(LESetScanParameters(type: .active, timing: timing)).packet
                == [0x01, 0x0B, 0x20, 0x07, 0x01, 0x10, 0x00, 0x08, 0x00, 0x00, 0x00])
        #expect(HCICommand(LESetScanEnable(isEnabled: true)).packet == [0x01, 0x0C, 0x20, 0x02, 0x01, 0x00])
        #expect(
            HCICommand(
                LESetExtendedScanParameters(le1M: .init(timing: timing), leCoded: .init(type: .active, timing: timing))
            ).packet
                == [
                    0x01, 0x41, 0x20, 0x0D, 0x00, 0x00, 0x05, 0x00, 0x10, 0x00, 0x08, 0x00, 0x01, 0x10, 0x00, 0x08,
                    0x00,
                ])
        #expect(
            HCICommand(LESetExtendedScanEnable(isEnabled: true, duplicateFilter: .on, duration: 0x0102, period: 3))
                .packet
                == [0x01, 0x42, 0x20, 0x06, 0x01, 0x01, 0x02, 0x01, 0x03, 0x00])
        #expect(
            HCICommand(SetEventMask(mask: SetEventMask.leMeta)).packet
                == [0x01, 0x01, 0x0C, 0x08, 0, 0, 0, 0, 0, 0, 0, 0x20])
        #expect(
            HCICommand(LESetEventMask(mask: LESetEventMask.extendedAdvertisingReport)).packet
                == [0x01, 0x01, 0x20, 0x08, 0, 0x10, 0, 0, 0, 0, 0, 0])
    }

    @Test func `every typed command is decoded again and is checked at every length`() throws {
        try survivesTheRoundTrip(Reset())
        try survivesTheRoundTrip(ReadLocalSupportedCommands())
        try survivesTheRoundTrip(SetEventMask(mask: 0x0123_4567_89AB_CDEF))
        try survivesTheRoundTrip(LESetEventMask(mask: 0xFEDC_BA98_7654_3210))
        try survivesTheRoundTrip(
            LESetScanParameters(type: .active, ownAddressType: .random, filterPolicy: .acceptListOnly))
        try survivesTheRoundTrip(LESetScanEnable(isEnabled: false, filtersDuplicates: true))
        try survivesTheRoundTrip(
            LESetExtendedScanParameters(filterPolicy: .acceptListOnly, leCoded: .init(type: .active)))
        try survivesTheRoundTrip(LESetExtendedScanParameters(le1M: nil, leCoded: .init()))
        try survivesTheRoundTrip(
            LESetExtendedScanEnable(isEnabled: true, duplicateFilter: .onUntilNextPeriod, duration: 1, period: 2))
    }

    private func survivesTheRoundTrip<P: HCICommandParameters>(_ parameters: P) throws {
        let command = HCICommand(parameters)
        let packet = command.packet
        let decoded = try HCICommand(packet.span.bytes)
        #expect(decoded == command)
        #expect(try decoded.decode(P.self) == parameters)
        for length in 0..<packet.count {
            #expect(throws: HCIDecodingError.self) { try HCICommand(packet.span.bytes.extracting(first: length)) }
        }
        for length in 0..<command.parameters.count {
            let cut = try HCICommand(opcode: P.opcode, parameters: Array(command.parameters.prefix(length)))
            #expect(throws: HCIDecodingError.self) { try cut.decode(P.self) }
        }
    }

    @Test func `another command is not decoded`() {
        #expect(throws: HCIDecodingError.unexpectedOpcode(.reset, expected: .leSetScanEnable)) {
            try HCICommand(Reset()).decode(LESetScanEnable.self)
        }
        let event: [UInt8] = [0x04, 0x0E, 0x00]
        #expect(throws: HCIDecodingError.unexpectedPacketType(0x04, expected: .command)) {
            try HCICommand(event.span.bytes)
        }
    }

    @Test func `parameters fit one byte of length`() throws {
        let limit = HCICommand.maximumParameterLength
        let longest = try HCICommand(opcode: .reset, parameters: [UInt8](repeating: 7, count: limit))
        #expect(try HCICommand(longest.packet.span.bytes) == longest)
        #expect(throws: HCIEncodingError.parametersTooLong(count: limit + 1, limit: limit)) {
            try HCICommand(opcode: .reset, parameters: [UInt8](repeating: 7, count: limit + 1))
        }
    }

    @Test(
        arguments: [
            [0x02, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00], [0x00, 0x03, 0x00, 0x03, 0x00, 0x00, 0x00],
            [0x00, 0x01, 0x40, 0x04, 0x00, 0x00, 0x00], [0x00, 0x10, 0x00, 0x11, 0x00, 0x00, 0x00],
            [0x00, 0x10, 0x00, 0x10, 0x00, 0x04, 0x00], [0x00, 0x10, 0x00, 0x10, 0x00, 0x00, 0x04],
        ] as [[UInt8]])
    func `values out of range are refused`(_ parameters: [UInt8]) throws {
        let command = try HCICommand(opcode: .leSetScanParameters, parameters: parameters)
        #expect(throws: HCIDecodingError.self) { try command.decode(LESetScanParameters.self) }
    }

    @Test(
        arguments: [
            (HCIOpcode.leSetScanEnable, [2, 0]), (.leSetScanEnable, [0, 2]),
            (.leSetExtendedScanEnable, [0, 3, 0, 0, 0, 0]),
            (.leSetExtendedScanParameters, [0, 0, 0x02, 0, 4, 0, 4, 0]),
        ] as [(HCIOpcode, [UInt8])])
    func `switches out of range are refused`(_ opcode: HCIOpcode, _ parameters: [UInt8]) throws {
        let command = try HCICommand(opcode: opcode, parameters: parameters)
        #expect(throws: HCIDecodingError.self) {
            switch opcode {
            case .leSetScanEnable: _ = try command.decode(LESetScanEnable.self)
            case .leSetExtendedScanEnable: _ = try command.decode(LESetExtendedScanEnable.self)
            default: _ = try command.decode(LESetExtendedScanParameters.self)
            }
        }
    }

    @Test func `an opcode is described by its name and its number`() {
        #expect(HCIOpcode.leSetScanEnable.description == "LE Set Scan Enable (0x200C)")
        #expect(HCIOpcode(rawValue: 0xFC01).description == "Command 0xFC01")
    }
}
