import OkaeriDaemonTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriEvents

struct ReceiverCalibrationTests {
    private func nodes(_ names: [(String, String)], offset: Double = 0) -> NodesReport {
        NodesReport(
            node: "hall", site: "home", connected: true, reason: "",
            nodes: names.map { name, own in
                NodeReport(
                    name: name, online: true, room: own,
                    receiver: .init(
                        make: "ESPresense", name: own, interval: 5, scans: nil, deaf: false, offset: offset,
                        rejected: [:]))
            } + [NodeReport(name: "attic", online: true)], regions: [])
    }

    @Test func `A receiver is found by its name, or by its own one if no other has it`() {
        let one = nodes([
            ("espresense-kitchen", "kitchen"), ("shelly-bath", "bath"), ("shelly-hall", "hall"),
            ("espresense-hall", "hall"),
        ])
        func found(_ name: String) -> String? {
            ReceiverCalibration(name, in: one, region: "keys", measuredPower: nil)?.receiver.name
        }
        #expect(found("kitchen") == "espresense-kitchen" && found("shelly-bath") == "shelly-bath")
        #expect(found("hall") == nil && found("attic") == nil && found("nowhere") == nil)
    }

    @Test func `Too few readings give no result, in both languages`() throws {
        let calibration = try #require(
            ReceiverCalibration(
                "kitchen", in: nodes([("espresense-kitchen", "kitchen")]), region: "keys", measuredPower: -59))
        guard case .failure(let failure) = calibration.result else {
            Issue.record("a result without a reading")
            return
        }
        #expect(failure.sentence(in: .english).contains("0 of the 10"))
        #expect(failure.sentence(in: .japanese).contains("10 秒"))
    }
}
