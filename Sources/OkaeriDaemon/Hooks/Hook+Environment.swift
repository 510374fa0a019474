import IBeacon
import RegionMonitoring

extension Hook {
    /// The event as environment variables. A shell script needs no more; what has no value is not set.
    ///
    /// - Parameter socket: where the daemon answers, so that the command can ask or answer it.
    func environment(socket: String) -> [String: String] {
        var variables = [
            "OKAERI_EVENT": event.kind.name, "OKAERI_TIME": Timestamp.text(event.time), "OKAERI_SOCKET": socket,
        ]
        if case .region(let region) = subject {
            let constraint = region.monitored.region.constraint
            variables["OKAERI_REGION"] = region.identifier
            variables["OKAERI_UUID"] = constraint.uuid.description
            variables["OKAERI_MAJOR"] = constraint.major.map { "\($0)" }
            variables["OKAERI_MINOR"] = constraint.minor.map { "\($0)" }
        }
        switch event.kind {
        case .didEnterRegion(_, let beacon):
            variables["OKAERI_STATE"] = "inside"
            variables["OKAERI_UUID"] = beacon.identity.uuid.description
            variables["OKAERI_MAJOR"] = "\(beacon.identity.major)"
            variables["OKAERI_MINOR"] = "\(beacon.identity.minor)"
            variables["OKAERI_RSSI"] = "\(beacon.rssi)"
            variables["OKAERI_ACCURACY"] = "\(beacon.accuracy.metres)"
            variables["OKAERI_PROXIMITY"] = beacon.proximity.rawValue
        case .didExitRegion:
            variables["OKAERI_STATE"] = "outside"
        case .wifiPrompt(let prompt):
            variables["OKAERI_PROMPT"] = prompt.id
            variables["OKAERI_SSID"] = prompt.ssid
        case .peripheralDidConnect(let peripheral), .peripheralDidDisconnect(let peripheral):
            variables["OKAERI_IDENTIFIER"] = peripheral.identifier
            variables["OKAERI_SERVICE"] = peripheral.service
            variables["OKAERI_ADDRESS"] = peripheral.address
            variables["OKAERI_NAME"] = peripheral.name
        case .didStartMonitoring, .didDetermineState, .didRangeBeacons, .monitoringDidFail, .rangingBeaconsDidFail,
            .bluetoothStateDidUpdate, .wifiPromptAnswered, .wifiJoined, .wifiJoinFailed:
            break
        }
        // An environment cannot hold a NUL, which an SSID may; the object on standard input has it.
        return variables.filter { !$0.value.utf8.contains(0) }
    }
}
