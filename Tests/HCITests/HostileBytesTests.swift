import HCI
import OkaeriTestSupport
import Testing

/// Whatever comes, nothing traps and nothing hangs; and what is understood is written as it was read.
@Suite(.computes) struct HostileBytesTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random bytes do not trap in any decoder`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var assembler = ExtendedReportAssembler()
        for _ in 0..<20_000 {
            let bytes = random.bytes(Int.random(in: 0...300, using: &random))
            decode(bytes, &assembler)
        }
        #expect(assembler.waiting <= ExtendedReportAssembler.maximumAdvertisers)
    }

    @Test(arguments: [0x02, 0x0D] as [UInt8])
    func `random reports behind a proper head do not trap`(_ subevent: UInt8) throws {
        var random = SeededGenerator(seed: UInt64(subevent))
        var assembler = ExtendedReportAssembler()
        var delivered = 0
        for _ in 0..<20_000 {
            let count = UInt8.random(in: 0...30, using: &random)
            let body = random.bytes(Int.random(in: 0...253, using: &random))
            delivered += decode([0x04, 0x3E, UInt8(body.count + 2), subevent, count] + body, &assembler)
        }
        #expect(delivered > 0)
    }

    @Test func `a flipped byte does not trap`() throws {
        let packet = try HCIEvent.extendedAdvertisingReports([.extendedSample(), .extendedSample(sid: nil)]).packet()
        var assembler = ExtendedReportAssembler()
        for index in packet.indices {
            for value in UInt8.min...UInt8.max {
                var changed = packet
                changed[index] = value
                decode(changed, &assembler)
            }
        }
        #expect(assembler.waiting <= ExtendedReportAssembler.maximumAdvertisers)
    }

    /// Returns how many reports came out.
    @discardableResult
    private func decode(_ bytes: [UInt8], _ assembler: inout ExtendedReportAssembler) -> Int {
        if let event = try? HCIEvent(bytes.span.bytes), let packet = try? event.packet() {
            #expect((try? HCIEvent(packet.span.bytes)) == event)
        }
        for code in [HCIEventCode.commandComplete, .commandStatus, .hardwareError, .leMeta, .stackInternal] {
            guard let event = try? HCIEvent(code, parameters: bytes), let packet = try? event.packet() else { continue }
            #expect(packet[1] == code.rawValue && bytes.starts(with: packet.dropFirst(3)))
        }
        if let commands = try? SupportedCommands(bytes.span.bytes) {
            #expect(commands.octets == Array(bytes.prefix(SupportedCommands.byteCount)))
        }
        if let command = try? HCICommand(bytes.span.bytes) { #expect(bytes.starts(with: command.packet)) }
        isWrittenAsRead(LESetScanParameters.self, bytes)
        isWrittenAsRead(LESetScanEnable.self, bytes)
        isWrittenAsRead(LESetExtendedScanParameters.self, bytes)
        isWrittenAsRead(LESetExtendedScanEnable.self, bytes)
        isWrittenAsRead(SetEventMask.self, bytes)
        isWrittenAsRead(LESetEventMask.self, bytes)
        guard var reports = LEAdvertisingReports(bytes.span.bytes) else { return 0 }
        var count = 0
        while let report = try? reports.next() {
            count += 1
            #expect(report.data.byteCount <= 255)
            if let whole = assembler.assemble(report) {
                #expect(whole.data.byteCount <= ExtendedReportAssembler.maximumDataLength)
            }
        }
        return count
    }

    private func isWrittenAsRead<Parameters: HCICommandParameters>(_ type: Parameters.Type, _ bytes: [UInt8]) {
        guard let parameters = try? Parameters(parameters: bytes.span.bytes) else { return }
        let command = HCICommand(parameters)
        #expect((try? command.decode(type)) == parameters)
    }
}
