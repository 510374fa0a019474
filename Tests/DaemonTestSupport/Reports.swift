import Foundation
package import HCI
package import OkaeriEvents
package import RegionMonitoring

/// A region's report as a client of the daemon reads it.
package func regionReport(_ identifier: String, _ state: RegionState, rssi: Int8? = nil) -> RegionReport {
    let beacon = rssi.map {
        """
        ,"beacon":{"uuid":"\(uuidText)","major":100,"minor":100,"measuredPower":-59,"rssi":\($0),"accuracy":2.1,
        "proximity":"near","age":0.5,"count":7,"regions":[]}
        """
    }
    var report: RegionReport = decoded(
        """
        {"identifier":"","state":"\(state)","lastKnown":"\(state)","uuid":"\(uuidText)","major":100,"minor":100,
        "exitAfter":30,"isLearned":false,"sensitivity":"balanced","beacons":[]\(beacon ?? "")}
        """)
    report.identifier = identifier
    report.beacon?.regions = [identifier]
    return report
}

package func statusReport(_ regions: RegionReport..., bluetooth: BluetoothState = .poweredOn, stale: Bool = false)
    -> StatusReport
{
    StatusReport(
        time: "", source: "hci0", simulated: [], stale: stale,
        bluetooth: decoded(
            #"{"state":"\#(bluetooth.rawValue)","adapter":"hci0","reason":"why | how","listening":true}"#),
        wifi: decoded(
            #"{"managerRunning":false,"radioEnabled":false,"hardwareEnabled":false,"activating":false}"#),
        regions: regions, prompts: .init(waiting: [], never: []),
        counters: .init(reports: 0, iBeacons: 0, malformed: 0, dropped: 0))
}

private func decoded<Report: Decodable>(_ text: String) -> Report {
    do {
        return try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    } catch {
        preconditionFailure("not a \(Report.self): \(error)")
    }
}
