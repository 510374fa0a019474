import OkaeriControllerEmulation
import Testing

@Suite struct ScriptParsingTests {
    private func errors(_ text: String) -> [String] {
        switch Script.parse(text, source: "s") {
        case .success: []
        case .failure(let mistakes): mistakes.errors.map(\.description)
        }
    }

    @Test func `every instruction is parsed`() {
        let text = """
            # A comment.

            beacon home uuid=e2c56db5dffb48d2b060d0f5a71096e0 major=0x64 minor=65535 power=-128 interval=20ms rssi=20
            beacon away uuid=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 major=0 minor=0 address-type=public interval=10.24s
            raw lamp data=02011A response=02011a type=connectable address=C0:00:00:00:00:01\t # at the end
            start home away\r
            stop home
            send lamp count=1000
            rssi home -127 20 none every=1ms
            address home C0:00:00:00:00:02
            at 1.5s start home
            at 0s at.name
            """
        #expect(errors(text).map { $0.prefix(5) } == ["s:12:"])
        let rest = """
            wait 1min
            wait scan
            wait no-scan
            ignore commands
            ignore 0x200C 0x2042
            refuse 0x200B
            refuse 8204 status=0x07 times=2
            answer commands
            answer 0x200C
            stall
            stall until=reset
            resume
            hardware-error
            hardware-error 0x20
            vanish
            return
            flood count=20000 addresses=5000 rate=max include=home kind=beacons
            flood count=1 rate=1000
            batch 25
            cut
            cut times=3
            packet 0410
            log any words = at all
            log
            quit
            quit 255
            """
        #expect(errors(rest) == [])
    }

    @Test(
        arguments: [
            ("start", "s:1: found start without a name, expected a name"),
            ("vanish now", "s:1: found 'now' at the end of vanish, expected nothing more"),
            ("vanish soon=1", "s:1: found soon= for vanish, expected no settings"),
            ("cut times=1 times=2", "s:1: found times twice, expected each setting once"),
            ("cut times=", "s:1: found times='', expected a number from 1 to 1000000"),
            ("cut times=+5", "s:1: found times='+5', expected a number from 1 to 1000000"),
            ("cut times=0x-5", "s:1: found times='0x-5', expected a number from 1 to 1000000"),
            ("cut time=2", "s:1: found time= for cut, expected only times"),
            ("wait", "s:1: found wait without a time, scan or no-scan, expected a time, scan or no-scan"),
            ("wait 5", "s:1: found '5', expected a time up to a day, as 250ms, 2.5s or 1min"),
            ("wait -1s", "s:1: found '-1s', expected a time up to a day, as 250ms, 2.5s or 1min"),
            ("wait infs", "s:1: found 'infs', expected a time up to a day, as 250ms, 2.5s or 1min"),
            ("at 1s", "s:1: found at 1s alone, expected an instruction after it"),
            ("at", "s:1: found at alone, expected a time after it"),
            ("at 1s wait 2s", "s:1: found at … wait, expected wait on a line without at"),
            ("at 1s at 2s resume", "s:1: found at twice, expected an instruction after the time"),
            ("raw a", "s:1: found raw without data, expected data=…"),
            ("raw a data=0", "s:1: found data='0', expected hexadecimal digits, two a byte"),
            ("raw a data=0g", "s:1: found data='0g', expected hexadecimal digits, two a byte"),
            ("raw ä data=", "s:1: found 'ä', expected a name of letters, digits, -, _ and ."),
            (
                "raw a data= response=00",
                "s:1: found a response of what is not scannable, expected type=scannable or connectable"
            ),
            (
                "raw a data= type=loud",
                "s:1: found type='loud', expected nonconnectable or scannable or connectable"
            ),
            ("address a C0:00", "s:1: found 'C0:00', expected an address, as C0:11:22:33:44:55"),
            ("ignore LE", "s:1: found 'LE', expected a command's opcode, as 0x200C"),
            ("stall until=never", "s:1: found until='never', expected enable or reset or resume"),
            ("flood", "s:1: found flood without count, expected count=…"),
            ("packet 04", "s:1: found 1 bytes, expected a packet, from its type on"),
        ])
    func `a mistake is explained`(_ line: String, _ error: String) {
        #expect(errors(line) == [error])
    }

    @Test func `the error about an unknown verb names the known ones`() {
        let error = errors("wiat 3s").first ?? ""
        #expect(error.hasPrefix("s:1: found 'wiat', expected one of at, wait, beacon,"))
        for verb in error.drop(while: { $0 != "," }).split(separator: ", ").dropFirst(2) {
            // Each of them is known indeed: whatever is wrong with it alone is something else.
            #expect(errors(String(verb)).allSatisfy { !$0.contains("expected one of at,") })
        }
    }

    @Test func `all mistakes are reported`() {
        #expect(errors("log a\nwait x\nlog b\ncut times=0").map { $0.prefix(4) } == ["s:2:", "s:4:"])
    }

    /// Values at the edge of the allowed range, and just outside.
    @Test(
        arguments: [
            ("raw a data= interval=20ms", "raw a data= interval=19ms"),
            ("raw a data= interval=10240ms", "raw a data= interval=10241ms"),
            ("raw a data= rssi=20", "raw a data= rssi=21"),
            ("raw a data= rssi=-127", "raw a data= rssi=-128"),
            ("send a count=1000", "send a count=1001"),
            ("send a count=1", "send a count=0"),
            ("wait 86400s", "wait 86401s"),
            ("rssi a -1 every=1ms", "rssi a -1 every=0.9ms"),
            ("flood count=10000000", "flood count=10000001"),
            ("flood count=1 addresses=1000000", "flood count=1 addresses=1000001"),
            ("flood count=1 addresses=1", "flood count=1 addresses=0"),
            ("flood count=1 rate=1000000", "flood count=1 rate=1000001"),
            ("batch 25", "batch 26"),
            ("batch 1", "batch 0"),
            ("quit 255", "quit 256"),
            ("refuse 0xFFFF status=1", "refuse 0x10000"),
            ("refuse 1 status=0xFF", "refuse 1 status=0"),
            ("refuse 1 times=1000000", "refuse 1 times=1000001"),
            ("cut times=1000000", "cut times=1000001"),
        ])
    func `limits are exact`(_ allowed: String, _ refused: String) {
        #expect(errors(allowed) == [])
        #expect(errors(refused).count == 1)
    }

    @Test func `data is limited`() {
        func bytes(_ count: Int) -> String { String(repeating: "00", count: count) }
        #expect(errors("raw a data=\(bytes(1650))") == [])
        #expect(errors("raw a data=\(bytes(1651))") == ["s:1: found data=1651 bytes, expected at most 1650"])
        #expect(errors("raw a data=\(bytes(31)) type=scannable response=\(bytes(31))") == [])
        #expect(errors("raw a data=\(bytes(32)) type=scannable").count == 1)
        #expect(errors("raw a data= type=scannable response=\(bytes(32))").count == 1)
        #expect(errors("packet \(bytes(1024))") == [])
        #expect(errors("packet \(bytes(1025))").count == 1)
    }

    @Test func `a line is limited`() {
        let line = "log " + String(repeating: "x", count: Script.maximumLineLength - 4)
        #expect(errors(line) == [])
        #expect(errors(line + "x") == ["s:1: found a line of 8193 bytes, expected at most 8192"])
    }
}
