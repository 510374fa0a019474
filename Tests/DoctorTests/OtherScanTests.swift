import HCI
import OkaeriDaemonTestSupport
import OkaeriEvents
import OkaeriTestSupport
import Testing

@testable import OkaeriSetup

@Suite struct OtherScanTests {
    private func findings(_ timing: ScanTiming, _ reason: ScanMode.Reason) -> [String] {
        var status = statusReport()
        status.bluetooth.adapter = "hci0"
        status.bluetooth.scan = ScanReport(ScanMode(timing: timing, reason: reason), listened: .zero, received: .zero)
        return Doctor.otherScanFindings(status).map { $0.text() }
    }

    @Test func `a scan of another program is reported with its part of the time`() {
        #expect(
            findings(.continuous, .otherProgram) == [
                "ok     bluetooth: another program scans with hci0 too, 100 % of the time; both receive each advertisement"
            ])
        #expect(findings(.shared, .otherProgram).first?.contains("50 % of the time") == true)
    }

    @Test func `a scan of another program that is rarely open is noted with a remedy`() throws {
        let timing = try ScanTiming(interval: ScanTime(milliseconds: 640), window: ScanTime(milliseconds: 11.25))
        let found = findings(timing, .otherProgram)
        #expect(
            found.first?.hasPrefix("note   bluetooth: another program scans with hci0 too, only 2 % of the time")
                == true)
        #expect(found.first?.contains("\n         → if exits are false or arrivals late, plug in an adapter") == true)
    }

    @Test func `the daemon's own scan is not reported`() {
        for reason in ScanMode.Reason.allCases where reason != .otherProgram {
            #expect(findings(.shared, reason).isEmpty)
        }
        #expect(Doctor.otherScanFindings(statusReport()).isEmpty)
    }
}
