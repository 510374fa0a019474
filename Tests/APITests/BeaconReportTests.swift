import DaemonTestSupport
import Testing

@testable import API

@Suite struct BeaconReportTests {
    @Test func `a line of a scan begins with the time, and says no signal that nobody measured`() {
        let heard = BeaconReport(
            uuid: uuidText, major: 100, minor: 65_535, measuredPower: -59, rssi: -70, accuracy: 2.5, proximity: "near",
            age: 0.125, count: .max, regions: ["home"])
        #expect(
            heard.line(at: "T") == """
                {"time":"T","uuid":"\(uuidText)","major":100,"minor":65535,"measuredPower":-59,"rssi":-70,\
                "accuracy":2.5,"proximity":"near","age":0.125,"count":\(Int.max)}
                """)
        var mute = heard
        mute.rssi = nil
        mute.accuracy = -1
        #expect(mute.line(at: "T").contains(#""measuredPower":-59,"accuracy":-1,"proximity""#))
    }
}
