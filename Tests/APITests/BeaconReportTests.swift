import IBeacon
import OkaeriDaemonTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents

@Suite struct BeaconReportTests {
    @Test func `a beacon of no region has its filtered signal beside the last one`() throws {
        let start = Instant(nanoseconds: 0)
        var monitor = RegionMonitor([monitored()], at: start)
        _ = monitor.adapterRecovered(at: start)
        for (second, rssi) in [-60, -90, -62, -64].enumerated() {
            _ = monitor.sighted(
                .init(identity: neighbour, measuredPower: -59, rssi: Int8(rssi)),
                at: start.advanced(by: .seconds(second)))
        }
        let now = start.advanced(by: .seconds(4))
        let report = try #require(BeaconReport.list(monitor.beaconSnapshots(since: start), at: now).first)
        #expect((report.rssi, report.signal) == (-64, -63))
    }

    @Test func `a line of a scan begins with the time, and omits a signal that was not measured`() {
        let heard = BeaconReport(
            uuid: uuidText, major: 100, minor: 65_535, measuredPower: -59, rssi: -70, accuracy: 2.5, proximity: "near",
            age: 0.125, count: .max, regions: ["home"])
        #expect(
            heard.line(at: "T") == """
                {"time":"T","uuid":"\(uuidText)","major":100,"minor":65535,"measuredPower":-59,"rssi":-70,\
                "accuracy":2.5,"proximity":"near","age":0.125,"count":\(Int.max)}
                """)
        var peculiar = heard
        peculiar.transmitters = 2
        peculiar.proposedMask = MaskReport(BeaconMask.withoutMinor)
        #expect(peculiar.line(at: "T").hasSuffix(#","transmitters":2,"proposedMask":{"minor":"0000"}}"#))
        var mute = heard
        mute.rssi = nil
        mute.accuracy = -1
        #expect(mute.line(at: "T").contains(#""measuredPower":-59,"accuracy":-1,"proximity""#))
    }
}
