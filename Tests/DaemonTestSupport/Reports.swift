@testable package import Events
package import HCI
package import RegionMonitoring

package func regionReport(_ identifier: String, _ state: RegionState, rssi: Int8? = nil) -> RegionReport {
    let beacon = rssi.map {
        BeaconReport(
            uuid: uuidText, major: 100, minor: 100, measuredPower: -59, rssi: $0, accuracy: 2.1, proximity: "near",
            age: 0.5, count: 7, regions: [identifier])
    }
    return RegionReport(
        identifier: identifier, state: state, lastKnown: state, since: nil, uuid: uuidText, major: 100, minor: 100,
        exitAfter: 30, isLearned: false, sensitivity: "balanced", beacon: beacon, beacons: [])
}

package func statusReport(_ regions: RegionReport..., bluetooth: BluetoothState = .poweredOn, stale: Bool = false)
    -> StatusReport
{
    StatusReport(
        time: "", source: "hci0", simulated: [], stale: stale,
        bluetooth: .init(state: bluetooth, adapter: "hci0", reason: "why | how", listening: true),
        wifi: .init(managerRunning: false, radioEnabled: false, hardwareEnabled: false, activating: false),
        regions: regions, prompts: .init(waiting: [], never: []),
        counters: .init(reports: 0, iBeacons: 0, malformed: 0, dropped: 0))
}
