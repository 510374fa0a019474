import HCI
import OkaeriControllerEmulation
import OkaeriTestSupport
import Testing

@Suite struct FaultTests {
    private let disable = HCICommand(LESetScanEnable(isEnabled: false))
    private let parameters = HCICommand(LESetScanParameters(timing: .continuous))
    private let enable = HCICommand(LESetScanEnable(isEnabled: true))

    @Test func `commands are ignored`() throws {
        var bench = try Bench(script: "\(home)\nstart home")
        try bench.scan()
        bench.writeControl("ignore commands")
        #expect(try bench.status(disable) == nil)
        #expect(bench.log.last == "ignored LE Set Scan Enable (0x200C)")
        // Nor are they carried out: adverts still come.
        bench.run(for: 1)
        #expect(bench.reports.count >= 10)
        bench.writeControl("answer commands")
        #expect(try bench.status(disable) == .success)
    }

    @Test func `one command is ignored`() throws {
        var bench = try Bench(script: "ignore 0x200C 0x2042")
        #expect(try bench.status(parameters) == .success)
        #expect(try bench.status(enable) == nil)
        bench.writeControl("answer 0x200C")
        #expect(try bench.status(enable) == .success)
    }

    @Test func `a command is refused`() throws {
        var bench = try Bench(script: "refuse 0x200C times=2\nrefuse 0x200B status=0x07\nrefuse 0x200D")
        bench.forget()
        #expect(try bench.status(enable) == .commandDisallowed)
        #expect(bench.log == ["refused LE Set Scan Enable (0x200C) status=0x0C"])
        #expect(try bench.status(enable) == .commandDisallowed)
        #expect(try bench.status(enable) == .success)
        try bench.status(disable)
        for _ in 0..<5 {
            #expect(try bench.status(parameters) == .memoryCapacityExceeded)
        }
        // A command that only begins something is refused by its event.
        let connect = try HCICommand(opcode: HCIOpcode(rawValue: 0x200D), parameters: [])
        #expect(
            try bench.send(connect)
                == [.commandStatus(CommandStatus(opcode: connect.opcode, status: .commandDisallowed))])
        bench.writeControl("answer 0x200B")
        #expect(try bench.status(parameters) == .success)
    }

    @Test func `a hardware error forgets the scan`() throws {
        var bench = try Bench(script: "\(home)\nstart home")
        try bench.scan()
        bench.writeControl("hardware-error 0x42")
        #expect(bench.packets.last == [0x04, 0x10, 0x01, 0x42])
        #expect(bench.log.suffix(2) == ["hardware error 0x42", "scan disabled by reset"])
        bench.forget()
        bench.run(for: 1)
        #expect(bench.packets.isEmpty)
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
    }

    @Test func `the adapter vanishes and returns`() throws {
        var bench = try Bench(script: "\(home)\nstart home")
        try bench.scan()
        bench.writeControl("vanish")
        #expect(bench.actions.suffix(2) == [.close, .log("vanished")])
        bench.forget()
        bench.run(for: 5)
        #expect(try bench.status(enable) == nil)
        #expect(bench.actions.isEmpty)
        bench.writeControl("vanish")
        #expect(bench.log == ["error control:2: found vanish, expected the adapter to be plugged in"])
        bench.forget()
        bench.writeControl("return")
        #expect(bench.actions == [.open])
        bench.actions += bench.emulation.received([0xFF, 0x00, 0x05, 0x01], at: bench.now)
        #expect(bench.log == ["controller hci261 created (legacy) address=02:00:00:00:00:01"])
        // Nothing is set any more.
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
        bench.writeControl("return")
        #expect(bench.log.last == "error control:4: found return, expected vanish before it")
    }

    @Test func `a stall lasts until the scan is enabled again`() throws {
        var bench = try Bench(script: "\(home)\nstart home")
        try bench.scan()
        bench.writeControl("stall")
        bench.run(for: 5)
        #expect(bench.reports.isEmpty)
        try bench.status(disable)
        #expect(bench.log.last == "scan disabled")
        try bench.status(enable)
        #expect(bench.log.suffix(2) == ["scan enabled dup=0 passive interval=142 window=142 (legacy)", "resumed"])
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
    }

    @Test func `a deep stall lasts until reset`() throws {
        var bench = try Bench(script: "\(home)\nstart home")
        try bench.scan()
        bench.writeControl("stall until=reset")
        try bench.status(disable)
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        try bench.status(HCICommand(Reset()))
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
        bench.writeControl("stall until=resume")
        try bench.status(HCICommand(Reset()))
        try bench.scan()
        bench.run(for: 1)
        #expect(bench.reports.isEmpty)
        bench.writeControl("resume")
        bench.run(for: 1)
        #expect(bench.reports.count == 10)
    }

    /// It goes on whatever the host sends and whatever is written into the FIFO.
    @Test(arguments: 0..<8)
    func `no command and no instruction stops the controller`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bench = try Bench(seed.isMultiple(of: 2) ? .legacy : .extended, script: "\(home)\nstart home\nbatch 3")
        let verbs = [
            "start", "stop", "flood count=", "batch", "at 1s", "cut", "stall", "wait", "raw a data=", "#", "=",
        ]
        for _ in 0..<2000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let opcode = UInt16(Int.random(in: 0x2000...0x2050, using: &generator))
                let parameters = generator.bytes(Int.random(in: 0...40, using: &generator))
                _ = try bench.send(HCICommand(opcode: HCIOpcode(rawValue: opcode), parameters: parameters))
            case 1:
                let bytes = generator.bytes(Int.random(in: 0...12, using: &generator))
                bench.actions += bench.emulation.received(bytes, at: bench.now)
            case 2:
                let verb = verbs.randomElement(using: &generator) ?? ""
                bench.writeControl(verb + String(decoding: generator.bytes(6), as: UTF8.self))
            default:
                bench.now += Int64.random(in: 0...200_000_000, using: &generator)
                bench.actions += bench.emulation.advanced(to: bench.now)
            }
        }
        for packet in bench.packets {
            _ = try HCIEvent(packet.span.bytes)
        }
        bench.writeControl("return")
        bench.writeControl("answer commands")
        #expect(try bench.status(HCICommand(Reset())) == .success)
    }
}
