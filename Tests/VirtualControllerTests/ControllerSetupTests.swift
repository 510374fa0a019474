import HCI
import OkaeriControllerEmulation
import Testing

/// The commands by which Linux sets an LE controller up, and their answers.
@Suite struct ControllerSetupTests {
    @Test func `an adapter is created first`() throws {
        let bench = try Bench(.extended)
        #expect(
            bench.actions == [
                .open, .log("controller hci2 created (extended) address=02:00:00:00:00:01"),
            ])
    }

    /// The commands of Linux 6.1 to an LE-only controller, with the answers' return parameters after the status.
    @Test(
        arguments: [
            (0x0C03, []), (0x1003, [0, 0, 0, 0, 0x60, 0, 0, 0]), (0x1001, [9, 0, 0, 9, 0xFF, 0xFF, 0, 0]),
            (0x1009, [1, 0, 0, 0, 0, 2]), (0x2003, [0x60, 0, 0, 0, 0, 0, 0, 0]), (0x2002, [27, 0, 8]),
            (0x201C, [0x30, 0, 0, 0, 0, 0, 0, 0]), (0x2007, [0]), (0x200F, [16]), (0x2010, []), (0x202A, [16]),
            (0x2029, []), (0x202F, [251, 0, 0x48, 8, 251, 0, 0x48, 8]), (0x2023, [27, 0, 0x48, 1]),
        ] as [(UInt16, [UInt8])])
    func `a question is answered in full`(_ opcode: UInt16, _ parameters: [UInt8]) throws {
        var bench = try Bench()
        #expect(try bench.ask(opcode) == [0] + parameters)
    }

    @Test(
        arguments: [
            (0x2003, [0x60, 0x10, 0, 0, 0, 0, 0, 0]), (0x203B, [1]), (0x203A, [0x72, 6]), (0x203D, []),
        ] as [(UInt16, [UInt8])])
    func `an extended controller has more`(_ opcode: UInt16, _ parameters: [UInt8]) throws {
        var bench = try Bench(.extended)
        #expect(try bench.ask(opcode) == [0] + parameters)
    }

    /// The commands of Linux 6.1 to a controller without LE.
    @Test(
        arguments: [
            (0x0C03, []), (0x1003, [3, 0, 0, 0, 0, 0, 0, 0]), (0x1001, [3, 0, 0, 3, 0xFF, 0xFF, 0, 0]),
            (0x1009, [1, 0, 0, 0, 0, 2]), (0x1005, [0x53, 1, 0, 8, 0, 0, 0]), (0x0C23, [0, 0, 0]),
            (0x0C14, [UInt8](repeating: 0, count: 248)), (0x0C25, [0x60, 0]), (0x0C38, [1]),
            (0x0C39, [1, 0x33, 0x8B, 0x9E]), (0x0C05, []), (0x0C16, []),
        ] as [(UInt16, [UInt8])])
    func `a controller without LE answers what Linux asks`(_ opcode: UInt16, _ parameters: [UInt8]) throws {
        var bench = try Bench(.classic)
        #expect(try bench.ask(opcode) == [0] + parameters)
    }

    @Test(arguments: [0x2001, 0x2002, 0x200B, 0x200C, 0x2042] as [UInt16])
    func `a controller without LE has no LE command`(_ opcode: UInt16) throws {
        var bench = try Bench(.classic)
        let command = try HCICommand(opcode: HCIOpcode(rawValue: opcode), parameters: [])
        #expect(try bench.status(command) == .unknownCommand)
    }

    @Test(
        arguments: [
            (0x0C01, 8), (0x2001, 8), (0x2005, 6), (0x2006, 15), (0x2008, 32), (0x2009, 32), (0x200A, 1), (0x2024, 4),
            (0x202D, 1), (0x202E, 2), (0x204E, 8),
        ] as [(UInt16, Int)])
    func `each setting is accepted`(_ opcode: UInt16, _ length: Int) throws {
        var bench = try Bench()
        #expect(try bench.ask(opcode, [UInt8](repeating: 0, count: length)) == [0])
    }

    @Test(arguments: [0x0C01, 0x2001, 0x2005, 0x200B, 0x200C, 0x2011, 0x2012, 0x2027] as [UInt16])
    func `parameters that are cut are invalid`(_ opcode: UInt16) throws {
        var bench = try Bench()
        #expect(try bench.ask(opcode, [0]) == [HCIStatus.invalidParameters.rawValue])
    }

    @Test func `a command that the controller does not have is unknown`() throws {
        var bench = try Bench()
        for opcode: UInt16 in [0x1005, 0x0401, 0x2041, 0x2042, 0x2060, 0xFC01] {
            let command = try HCICommand(opcode: HCIOpcode(rawValue: opcode), parameters: [])
            #expect(
                try bench.send(command)
                    == [.commandStatus(CommandStatus(opcode: command.opcode, status: .unknownCommand))])
        }
        #expect(bench.log.suffix(6).first == "unknown command 0x1005")
    }

    @Test(arguments: [ControllerKind.legacy, .extended])
    func `the mask of commands lists the supported ones`(_ kind: ControllerKind) throws {
        var bench = try Bench(kind)
        let answer = try #require(try bench.ask(0x1002))
        #expect(answer.count == 65)
        let mask = try SupportedCommands(answer.span.bytes.extracting(1..<65))
        #expect(mask.supportsExtendedScanning == (kind == .extended))
        // Set Event Mask, LE Set Scan Parameters, LE Set Scan Enable; and nothing of BR/EDR's.
        #expect(mask.contains(octet: 5, bit: 6))
        #expect(mask.contains(octet: 26, bit: 2) && mask.contains(octet: 26, bit: 3))
        #expect(mask.octets[0...4].allSatisfy { $0 == 0 })
    }

    @Test func `the accept list has a maximum length`() throws {
        var bench = try Bench()
        for index in 0..<16 {
            #expect(try bench.ask(0x2011, [1, UInt8(index), 0, 0, 0, 0, 0xC0]) == [0])
        }
        #expect(try bench.ask(0x2011, [1, 3, 0, 0, 0, 0, 0xC0]) == [0])
        #expect(try bench.ask(0x2011, [1, 16, 0, 0, 0, 0, 0xC0]) == [HCIStatus.memoryCapacityExceeded.rawValue])
        #expect(try bench.ask(0x2012, [1, 3, 0, 0, 0, 0, 0xC0]) == [0])
        #expect(try bench.ask(0x2011, [1, 16, 0, 0, 0, 0, 0xC0]) == [0])
    }

    @Test func `a connection is attempted until it is cancelled`() throws {
        var bench = try Bench()
        try bench.unmask()
        let peer: [UInt8] = [1, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
        let connect = try HCICommand(
            opcode: HCIOpcode(rawValue: 0x200D),
            parameters: [0x60, 0, 0x60, 0, 0] + peer + [UInt8](repeating: 0, count: 13))
        #expect(try bench.send(connect) == [.commandStatus(CommandStatus(opcode: connect.opcode, status: .success))])
        #expect(try bench.status(connect) == .commandDisallowed)
        let cancel = try HCICommand(opcode: HCIOpcode(rawValue: 0x200E), parameters: [])
        let events = try bench.send(cancel)
        #expect(
            events == [
                .commandComplete(CommandComplete(opcode: cancel.opcode, status: .success)),
                .leMeta(
                    LESubevent(rawValue: 0x0A),
                    parameters: [2, 0, 0, 0] + peer + [UInt8](repeating: 0, count: 19)),
            ])
        #expect(try bench.status(cancel) == .commandDisallowed)
        // With the event masked that came with privacy, it is the first one.
        try bench.status(HCICommand(LESetEventMask(mask: 0x1F)))
        try bench.status(connect)
        #expect(
            try bench.send(cancel).last
                == .leMeta(
                    LESubevent(rawValue: 0x01), parameters: [2, 0, 0, 0] + peer + [UInt8](repeating: 0, count: 7)))
    }

    @Test func `legacy and extended commands exclude each other`() throws {
        var bench = try Bench(.extended)
        try bench.scan(.extended)
        #expect(try bench.status(HCICommand(LESetScanEnable(isEnabled: false))) == .commandDisallowed)
        #expect(try bench.status(HCICommand(Reset())) == .success)
        #expect(try bench.status(HCICommand(LESetScanEnable(isEnabled: false))) == .success)
        #expect(try bench.status(HCICommand(LESetExtendedScanEnable(isEnabled: false))) == .commandDisallowed)
    }

    @Test func `the whole conversation can be logged`() throws {
        var bench = try Bench(isVerbose: true)
        bench.forget()
        _ = try bench.ask(0x200F)
        #expect(
            bench.log == [
                "command LE Read Filter Accept List Size (0x200F) ", "event 0E05010F200010",
            ])
    }

    @Test func `a packet that is not a command is only logged`() throws {
        var bench = try Bench()
        bench.forget()
        bench.actions += bench.emulation.received([0x02, 0, 0, 0, 0], at: bench.now)
        bench.actions += bench.emulation.received([0x01, 0x0C], at: bench.now)
        bench.actions += bench.emulation.received([], at: bench.now)
        #expect(bench.packets.isEmpty)
        #expect(
            bench.log == [
                "ignored a packet of type 0x02: there are no connections",
                "error the host sent a command that cannot be read: the packet is cut at byte 1: a length of 2 is "
                    + "announced, 1 is there",
            ])
    }
}
