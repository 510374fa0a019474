package import HCI
package import IBeacon
import OkaeriPlumbing
package import OkaeriWiFi
package import RegionMonitoring

extension RegionReport {
    /// - Parameters:
    ///   - since: The time of the last change of the state, on the wall clock.
    ///   - mistakes: The number of recent false exits.
    ///   - now: the clock that the snapshot's instants are on.
    package init(
        _ snapshot: RegionMonitor.RegionSnapshot, _ judgements: [RegionMonitor.Judgement], since: Int64?,
        mistakes: MistakesReport?, now: Instant
    ) {
        let region = snapshot.region
        identifier = region.identifier
        state = snapshot.state
        lastKnown = snapshot.lastKnown
        self.since = since.map(Timestamp.text)
        uuid = region.constraint?.uuid.description
        major = region.constraint?.major
        minor = region.constraint?.minor
        mask = MaskReport(ofConstraint: region.constraint)
        exitAfter = snapshot.exitTime.seconds(digits: 1)
        isLearned = region.signs.contains { $0.exitAfter == nil }
        sensitivity = region.onlySign?.sensitivity.rawValue
        self.mistakes = mistakes
        enterRSSI = region.onlySign?.enterRSSI
        exitRSSI = region.onlySign?.exitRSSI
        measuredPower = region.onlySign?.measuredPower
        pathLossExponent = region.onlySign?.pathLossExponent
        signs = region.onlySign == nil ? zip(region.signs, snapshot.signs).map(SignReport.init) : nil
        beacon = snapshot.beacon.map { BeaconReport($0, now: now) }
        beacons = judgements.map { judgement in
            var report = JudgementReport(judgement, now: now)
            if region.onlySign == nil { report.sign = judgement.sign }
            report.phone = region.signs[judgement.sign].phoneName
            return report
        }
    }
}

extension RegionReport {
    /// A region that this node knows from its hub alone.
    package init(identifier: String, house: HouseReport) {
        self.identifier = identifier
        (state, lastKnown, since) = (house.state, house.lastKnown, house.since)
        (exitAfter, isLearned, beacons) = (0, true, [])
        self.house = house
    }
}

extension SignReport {
    init(_ sign: RegionSign, _ snapshot: RegionMonitor.SignSnapshot) {
        state = snapshot.state
        uuid = sign.constraint?.uuid.description
        major = sign.constraint?.major
        minor = sign.constraint?.minor
        mask = MaskReport(ofConstraint: sign.constraint)
        phone = sign.phoneName
        exitAfter = snapshot.exitTime.seconds(digits: 1)
        isLearned = sign.exitAfter == nil
        sensitivity = sign.sensitivity.rawValue
        (enterRSSI, exitRSSI) = (sign.enterRSSI, sign.exitRSSI)
        (measuredPower, pathLossExponent) = (sign.measuredPower, sign.pathLossExponent)
    }
}

extension BeaconReport {
    /// Whether it is a phone of a region.
    var isPhone: Bool { BeaconUUID(uuid).map { BeaconIdentity(uuid: $0, major: major, minor: minor).isPhone } ?? false }

    /// The beacons, by identity.
    package static func list(_ beacons: [RegionMonitor.BeaconSnapshot], at now: Instant) -> [BeaconReport] {
        beacons.sorted { $0.identity < $1.identity }.map { BeaconReport($0, now: now) }
    }

    package init(_ snapshot: RegionMonitor.BeaconSnapshot, now: Instant) {
        uuid = snapshot.identity.uuid.description
        major = snapshot.identity.major
        minor = snapshot.identity.minor
        measuredPower = snapshot.measuredPower
        rssi = snapshot.rssi
        signal = snapshot.signal?.rounded(digits: 1)
        accuracy = snapshot.accuracy.metres
        proximity = Proximity(accuracy: snapshot.accuracy).rawValue
        age = max(.zero, snapshot.lastHeard.duration(to: now)).seconds(digits: 3)
        count = snapshot.count
        regions = snapshot.regions
        transmitters = snapshot.transmitters > 1 ? snapshot.transmitters : nil
        proposedMask = snapshot.proposedMask.map { MaskReport($0) }
    }
}

extension StatusReport.Bluetooth {
    package init(_ update: AdapterUpdate, listening: Bool, pausedFor: Double?, scan: ScanReport?) {
        self.init(
            state: update.state, adapter: update.adapter, reason: update.reason, code: update.code,
            listening: listening,
            pausedFor: pausedFor, scan: scan)
    }
}

extension StatusReport.WiFi {
    package init(_ state: WiFiState) {
        self.init(
            managerRunning: state.managerRunning, radioEnabled: state.radioEnabled,
            hardwareEnabled: state.hardwareEnabled, device: state.device, connectedSSID: state.connectedSSID,
            limitation: state.internet.limitation?.rawValue, activating: state.activating,
            obstacle: state.obstacle?.code.rawValue, reason: state.obstacle?.description,
            weakSecurity: state.weakSecurity?.description, otherConnection: state.otherConnection?.rawValue)
    }
}

extension NetworksReport {
    package init(_ networks: [VisibleNetwork]) {
        self.init(networks: networks.map { .init(ssid: $0.ssid, strength: $0.strength, secured: $0.isSecured) })
    }
}

/// A part of the beacons in the air, by identity.
package struct BeaconPart: Sendable {
    /// A place in the list, which stays what it is while beacons come and go.
    package typealias Position = BeaconIdentity

    package var beacons: [BeaconReport]
    /// The place behind the last of them; `nil` where there are none.
    package var end: Position?

    package init(beacons: [BeaconReport], end: Position?) {
        self.beacons = beacons
        self.end = end
    }

    package init(_ beacons: [RegionMonitor.BeaconSnapshot], at now: Instant) {
        self.init(beacons: beacons.map { BeaconReport($0, now: now) }, end: beacons.last?.identity)
    }
}

extension BeaconReport {
    /// The beacon as one JSON object on one line, as `okaeri scan` prints it.
    package func line(at time: String) -> String {
        var fields: [EventField] = EventField.text("time", time) + EventField.text("uuid", uuid)
        fields += EventField.integer("major", major) + EventField.integer("minor", minor)
        fields += EventField.integer("measuredPower", measuredPower) + EventField.integer("rssi", rssi)
        fields.append(EventField("accuracy", .number(accuracy)))
        fields.append(EventField("proximity", .text(proximity)))
        fields.append(EventField("age", .number(age)))
        fields += EventField.integer("count", count) + EventField.integer("transmitters", transmitters)
        if let proposedMask { fields.append(EventField("proposedMask", .object(proposedMask.fields))) }
        return fields.json
    }
}

extension [BeaconReport] {
    /// The strongest signal first.
    package var nearestFirst: [BeaconReport] {
        sorted { ($0.rssi ?? .min, $1.uuid, $1.minor) > ($1.rssi ?? .min, $0.uuid, $0.minor) }
    }
}
