import HCI
import OkaeriBluetooth
import Testing

@Suite struct StolenScanTests {
    var bench = MachineBench()

    @Test mutating func `a stolen scan is rearmed`() {
        bench.scan()
        _ = bench.pass(.seconds(1))
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
    }

    @Test mutating func `a scan is rearmed later each time it is stolen again`() {
        bench.scan()
        for delay in [500, 1000, 2000, 4000, 8000, 8000] {
            _ = bench.pass(.seconds(1))
            #expect(bench.foreign(.disable) == [.listening(nil)])
            #expect(bench.pass(.milliseconds(delay)) == [.send(.disable)])
            #expect(bench.rearm() == [.listening(.shared)])
        }
        bench.report()
        _ = bench.pass(.seconds(5))
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
    }

    @Test mutating func `a report does not hide that the scan was stolen`() {
        bench.scan()
        _ = bench.foreign(.disable)
        bench.report()
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
    }

    @Test mutating func `a reset steals the scan`() {
        bench.scan()
        #expect(bench.foreign(HCICommand(Reset())) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
    }

    @Test mutating func `a reset between our commands starts them again`() {
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        #expect(bench.foreign(HCICommand(Reset())) == [])
        #expect(bench.reply(.leSetScanParameters) == [])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
    }

    @Test mutating func `a scan that times out is rearmed`() {
        bench.scan()
        #expect(
            bench.machine.eventReceived(.leMeta(.scanTimeout, parameters: []), at: bench.now) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
    }

    @Test mutating func `a discovery keeps its parameters, but not its filter`() {
        bench.scan()
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.foreign(.active) == [])
        #expect(bench.foreign(.enableFiltered) == [])
        // Not disabled in between: Linux would lose the time at which its discovery ends.
        #expect(bench.pass(.milliseconds(500)) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(.shared)])
        bench.report()
        bench.now += 6_000_000_000
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
    }

    @Test mutating func `reports of another program's scan show that Bluetooth works`() {
        // Another scanner began between our commands: ours is refused, and theirs serves us.
        _ = bench.identify()
        _ = bench.reply(.leSetScanEnable)
        #expect(bench.reply(.leSetScanParameters, .commandDisallowed) == [])
        #expect(bench.foreign(.enable) == [.listening(.shared)])
        #expect(bench.report() == [.update(.working)])
        #expect(bench.report() == [])
    }

    @Test mutating func `a foreign scan with duplicates is left alone`() {
        bench.scan()
        _ = bench.foreign(.disable)
        _ = bench.foreign(.active)
        #expect(bench.foreign(.enable) == [.listening(.shared)])
        #expect(bench.pass(.seconds(10)) == [.send(.enable)])
    }

    @Test mutating func `a filter that is switched on in place is noticed`() {
        bench.scan()
        #expect(bench.foreign(.enableFiltered) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.enable)])
    }

    @Test mutating func `a scan is restarted if the controller does not change a running one`() {
        bench.scan()
        _ = bench.foreign(.enableFiltered)
        #expect(bench.pass(.milliseconds(500)) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [.send(.disable)])
        #expect(bench.reply(.leSetScanEnable) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.listening(.shared)])
    }

    @Test mutating func `a scan for known devices alone is replaced`() {
        bench.scan()
        _ = bench.foreign(.disable)
        _ = bench.foreign(.acceptList)
        #expect(bench.foreign(.enable) == [])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
    }

    @Test mutating func `a foreign scan that fails to begin is not one`() {
        bench.scan()
        _ = bench.foreign(.disable)
        #expect(bench.noted(bench.machine.foreignCommandSent(.enable, at: bench.now)) == [.listening(.shared)])
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(1000)) == [.send(.disable)])
    }

    @Test(arguments: [HCICommand.acceptList, .theirTiming])
    mutating func `parameters of another program that are refused have no effect`(_ theirs: HCICommand) {
        bench.scan()
        #expect(bench.machine.foreignCommandSent(theirs, at: bench.now) == [])
        #expect(bench.reply(.leSetScanParameters, .commandDisallowed) == [])
        // It then takes our scan as it is, as another Okaeri does.
        #expect(bench.foreign(.enable) == [])
        #expect(bench.machine.nextDeadline == bench.now + 10_000_000_000)
        #expect(bench.foreign(.disable) == [.listening(nil)])
    }

    @Test mutating func `the answer to another program is not taken for ours`() {
        _ = bench.identify()
        #expect(bench.machine.foreignCommandSent(.disable, at: bench.now) == [])
        #expect(bench.reply(.leSetScanEnable, .commandDisallowed) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.parameters)])
    }

    @Test mutating func `a stolen scan between our commands is repaired by the next one`() {
        _ = bench.identify()
        #expect(bench.foreign(.disable) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.parameters)])
        #expect(bench.foreign(.disable) == [])
        #expect(bench.reply(.leSetScanParameters) == [.send(.enable)])
        #expect(bench.reply(.leSetScanEnable) == [.update(.working), .listening(.shared)])
    }

    @Test mutating func `a discovery that ends while it is adopted is followed by our scan`() {
        bench.scan()
        _ = bench.foreign(.enableFiltered)
        #expect(bench.pass(.milliseconds(500)) == [.send(.enable)])
        #expect(bench.foreign(.disable) == [])
        #expect(bench.reply(.leSetScanEnable) == [.send(.disable)])
        #expect(bench.rearm() == [.listening(.shared)])
    }

    @Test mutating func `the command family of another program is used`() {
        _ = bench.identify(extended: true)
        _ = bench.reply(.leSetExtendedScanEnable)
        _ = bench.reply(.leSetExtendedScanParameters)
        _ = bench.reply(.leSetExtendedScanEnable)
        #expect(bench.foreign(.disable) == [.listening(nil)])
        #expect(bench.pass(.milliseconds(500)) == [.send(.disable)])
    }

    @Test mutating func `other commands of other programs are ignored`() throws {
        bench.scan()
        #expect(bench.foreign(.active) == [])
        #expect(bench.foreign(try HCICommand(opcode: HCIOpcode(rawValue: 0x200D), parameters: [])) == [])
        #expect(bench.foreign(try HCICommand(opcode: .leSetScanEnable, parameters: [])) == [])
    }
}
