import HCI
import OkaeriBluetooth
import Testing

@Suite struct ScanStartTests {
    var bench = MachineBench()

    @Test mutating func `a legacy scan starts with disable, parameters and enable`() {
        bench.scan()
        #expect(bench.machine.nextDeadline == bench.now + 10_000_000_000)
    }

    @Test mutating func `the scan is passive, shares the antenna and reports duplicates`() throws {
        _ = bench.identify()
        guard case .send(let parameters)? = bench.reply(.leSetScanEnable).first else {
            Issue.record("no parameters are sent")
            return
        }
        let decoded = try parameters.decode(LESetScanParameters.self)
        #expect(decoded.type == .passive)
        #expect(decoded.ownAddressType == .public)
        #expect(decoded.filterPolicy == .everyone)
        #expect(decoded.timing.window < decoded.timing.interval)
        #expect(
            bench.reply(.leSetScanParameters) == [
                .send(HCICommand(LESetScanEnable(isEnabled: true, filtersDuplicates: false)))
            ])
    }

    @Test mutating func `extended scanning is chosen by the controller's commands`() {
        #expect(bench.identify(extended: true) == [.send(.extendedDisable)])
        #expect(bench.reply(.leSetExtendedScanEnable) == [.send(.extendedParameters)])
        #expect(bench.reply(.leSetExtendedScanParameters) == [.send(.extendedEnable)])
        #expect(bench.reply(.leSetExtendedScanEnable) == [.update(.working), .listening(.shared)])
    }

    @Test(arguments: [HCIStatus.unknownCommand, .commandDisallowed])
    mutating func `extended scanning falls back to legacy scanning`(_ status: HCIStatus) {
        _ = bench.identify(extended: true)
        #expect(bench.reply(.leSetExtendedScanEnable) == [.send(.extendedParameters)])
        #expect(bench.reply(.leSetExtendedScanParameters, status) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [.send(.parameters)])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `a disable that is unknown falls back at once`() {
        _ = bench.identify(extended: true)
        #expect(bench.reply(.leSetExtendedScanEnable, .unknownCommand) == [.send(.disable)])
    }

    @Test mutating func `a disable that is disallowed is not a reason to fall back`() {
        _ = bench.identify(extended: true)
        #expect(bench.reply(.leSetExtendedScanEnable, .commandDisallowed) == [.send(.extendedParameters)])
    }

    @Test mutating func `a proven family is kept`() {
        _ = bench.identify(extended: true)
        _ = bench.reply(.leSetExtendedScanEnable)
        _ = bench.reply(.leSetExtendedScanParameters)
        _ = bench.reply(.leSetExtendedScanEnable)
        #expect(bench.pass(.seconds(10)) == [.send(.extendedDisable)])
        _ = bench.reply(.leSetExtendedScanEnable)
        #expect(bench.reply(.leSetExtendedScanParameters, .commandDisallowed) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.extendedDisable)])
    }

    @Test mutating func `a controller that does not report its commands is scanned in the legacy way`() {
        #expect(bench.start() == [.openScanSocket(0)])
        _ = bench.machine.scanSocketOpened(at: bench.now)
        #expect(bench.reply(.readLocalSupportedCommands, .unknownCommand) == [.send(.disable)])
    }

    @Test mutating func `an error may come as a Command Status event`() {
        _ = bench.identify(extended: true)
        _ = bench.reply(.leSetExtendedScanEnable)
        let pending = CommandStatus(opcode: .leSetExtendedScanParameters, status: .success)
        #expect(bench.machine.eventReceived(.commandStatus(pending), at: bench.now) == [])
        let refusal = CommandStatus(opcode: .leSetExtendedScanParameters, status: .unknownCommand)
        #expect(bench.machine.eventReceived(.commandStatus(refusal), at: bench.now) == [.send(.disable)])
    }

    @Test mutating func `answers to commands that were not sent are ignored`() {
        _ = bench.identify()
        #expect(bench.reply(.reset) == [])
        #expect(bench.reply(.leSetScanParameters) == [])
        #expect(bench.machine.eventReceived(.leMeta(.directedAdvertisingReport, parameters: []), at: bench.now) == [])
    }

    @Test mutating func `a single refusal is not a fault, but many are`() {
        _ = bench.identify()
        var delay = Duration.milliseconds(500)
        for attempt in 1...5 {
            _ = bench.reply(.leSetScanEnable)
            let actions = bench.reply(.leSetScanParameters, .commandDisallowed)
            #expect(actions.states == (attempt < 5 ? [] : [.resetting]))
            if attempt == 5 { #expect(actions.reasons.contains("Command Disallowed (0x0C)")) }
            #expect(bench.pass(delay) == [.send(.disable)])
            delay = min(delay * 2, .seconds(8))
        }
        #expect(bench.rearm() == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `a command is sent twice before the adapter is lost`() {
        _ = bench.identify()
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        let lost = bench.pass(.seconds(2))
        #expect(lost.states == [.resetting])
        #expect(lost.reasons.contains("did not answer LE Set Scan Enable"))
        #expect(bench.pass(.seconds(1)) == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        #expect(bench.pass(.seconds(2)) == [])
        #expect(bench.pass(.seconds(2)) == [.send(.disable)])
        #expect(bench.rearm() == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `faults back off up to their limit`() {
        _ = bench.identify()
        var delay = Duration.seconds(1)
        for _ in 0..<10 {
            _ = bench.pass(.seconds(2))
            _ = bench.pass(.seconds(2))
            #expect(bench.pass(delay) == [.send(.disable)])
            delay = min(delay * 2, .seconds(60))
        }
    }

    @Test mutating func `time that runs late loses nothing`() {
        bench.scan()
        bench.now += 100_000_000_000
        #expect(bench.machine.advanced(to: bench.now) == [.send(.disable)])
        #expect(bench.machine.advanced(to: bench.now) == [])
    }
}
