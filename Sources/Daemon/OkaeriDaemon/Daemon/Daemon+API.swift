import HTTPTypes
import IBeacon
import OkaeriAutomation
import OkaeriBluetooth
import OkaeriConfiguration
package import OkaeriEvents
import OkaeriHistory
import OkaeriHouse
import OkaeriListening
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriServer
package import OkaeriWiFi
import RegionMonitoring

extension Daemon {
    /// The endpoints of all listeners.
    ///
    /// - Parameter enroller: Enrolls phones; `nil` if a capture stands in for the adapter.
    func endpoints(_ enroller: PhoneEnroller?) -> [Endpoint] {
        let page = PageData(
            directory: options.stateDirectory, file: options.configurationFile, wifi: wifi,
            now: { [source] in source.now }, reload: { [reloader] in await reloader.reload() }, enroller: enroller,
            backups: options.stateDirectory.flatMap { directory in
                options.writeBackup.map { write in
                    BackupDownloads(
                        isOffered: { [reloader] in reloader.configuration.web?.offersBackup ?? false },
                        directory: directory, node: { [hub] in hub.node }, logger: logger, write: write)
                }
            })
        let logins = LoginEndpoints(
            logins,
            addresses: { [reloader] in
                guard let web = reloader.configuration.web, web.isDirect else { return [] }
                return PageAddresses.list(web.listen, hosts: web.hosts)
            }, logger: logger)
        let prompts = PromptEndpoints(
            hub: hub, links: answerLinks, prompts: { [arrivalJoin] in await arrivalJoin.prompts },
            answer: answer(prompt:_:), clearNever: { [arrivalJoin] in await arrivalJoin.neverCleared(ssid: $0) })
        return reporting + prompts.all + page.endpoints + logins.all + PageFile.endpoints
    }

    private var reporting: [Endpoint] {
        [
            Endpoint(.get, Route.status, .readers) { [self] exchange in
                // The judgements of beacons are most of the answer, and a request for the state alone does not need
                // them.
                let isBrief = exchange.query(Route.judgements) == "false"
                return .json(isBrief ? await status.withoutJudgements : await status)
            },
            Endpoint(.get, Route.regions, .readers) { [self] _ in .json(regions) },
            Endpoint(.get, Route.beacons, .readers) { [self] _ in
                .json(each: { [self] position in
                    let part = beacons(after: position, limit: Self.beaconsAtOnce)
                    return (part.beacons, part.end)
                })
            },
            .events(hub), .thresholds, .notificationTest(notifications.test),
        ] + Endpoint.monitoring(status: { [self] in await status }, counts: { [self] in await counts })
            + Endpoint.nodes({ [self] in await nodes }, forget: forget(node:))
    }

    /// The number of beacons that are reported and written at once, about 16 KiB.
    private static let beaconsAtOnce = 64

    /// The loop turns at every deadline. One that is so late does not turn any more.
    private static let latest = Duration.seconds(10)

    /// The time for which a beacon counts as in range.
    private static let airTime = Duration.seconds(60)

    package var status: StatusReport {
        get async {
            let now = source.instant
            let snapshot = presence.driver.snapshot(at: now)
            var kept = await stateStore?.report
            kept?.historyProblem = recorder?.problem
            let time = source.now
            var report = StatusReport(
                time: Timestamp.text(time), source: source.name,
                simulated: (options.capture == nil ? [] : ["capture"]) + (options.simulatesWiFi ? ["wifi"] : []),
                stale: snapshot.deadline.map { $0.advanced(by: Self.latest) < now } ?? false,
                bluetooth: .init(
                    snapshot.bluetooth, listening: snapshot.listening != nil,
                    pausedFor: snapshot.pausedSince?.duration(to: now).seconds(digits: 1),
                    scan: snapshot.mode.map {
                        ScanReport($0, listened: snapshot.listened.total, received: snapshot.listened.open)
                    }),
                wifi: .init(wifi.state), regions: reports(snapshot, at: now), prompts: await prompts,
                services: await serviceWatch.reports,
                counters: .init(
                    reports: snapshot.counters.reports, iBeacons: snapshot.counters.iBeacons,
                    malformed: snapshot.counters.malformed, dropped: snapshot.dropped,
                    scanRestarts: max(snapshot.scans, 1) - 1),
                air: .init(
                    devices: snapshot.air.devices, isRepresentative: snapshot.air.isRepresentative,
                    deaf: snapshot.air.deaf.seconds(digits: 1)),
                kept: kept, mqtt: broker.report, listeners: listenerReports, offsets: ZoneOffset.list(around: time),
                configuration: reloader.report)
            report.saved = reader.report
            let networks = await arrivalJoin.reports
            report.networks = networks.isEmpty ? nil : networks
            report.wifi.isHome = await isHome(report.wifi) ? true : nil
            let notified = notifications.reports
            report.notifications = notified.isEmpty ? nil : notified
            report.findings = report.judged
            return report
        }
    }

    /// Whether the connected network is the one of a region.
    private func isHome(_ wifi: StatusReport.WiFi) async -> Bool {
        guard let ssid = wifi.connectedSSID, wifi.weakSecurity == nil else { return false }
        return await arrivalJoin.names.contains(SSID(ssid))
    }

    private var listenerReports: [ListenerReport]? {
        listeners.reports?.map { report in
            var report = report
            if report.name == WebServer.name { (report.discovery, report.url) = (announcer.report, reachablePage.url) }
            return report
        }
    }

    private var counts: DaemonCounts {
        get async {
            var counts = DaemonCounts(
                started: KernelClock.realtime - (KernelClock.boottime - started), version: options.version,
                commit: options.commit)
            counts.events = hub.tally
            counts.hooks = await hooks.tally
            counts.unwritten = recorder?.unwritten
            let nodes = broker.current?.nodes ?? []
            counts.radios = nodes.compactMap { node in node.radio.map { (node.name, $0) } }
            counts.receivers = nodes.compactMap { node in node.receiver.map { (node.name, $0) } }
            let beacons = presence.driver.beaconCount(since: source.instant.advanced(by: .zero - Self.airTime))
            (counts.beacons.ours, counts.beacons.strangers) = (beacons.ofRegions, beacons.others)
            return counts
        }
    }

    var regions: [RegionReport] {
        let now = source.instant
        return reports(presence.driver.snapshot(at: now), at: now)
    }

    private func reports(_ snapshot: PresenceDriver.Snapshot, at now: Instant) -> [RegionReport] {
        let broker = broker.current
        let sources = reader.sources
        let own = zip(zip(snapshot.regions, snapshot.judgements), snapshot.batteries).map { pair, battery in
            let (region, judgements) = pair
            let identifier = region.region.identifier
            var report = RegionReport(
                region, judgements, since: snapshot.changes[identifier],
                mistakes: silences.report(region: identifier, now: options.moment(at: source.now)), now: now)
            report.saved = sources(identifier)
            report.battery = battery.map { BatteryReport($0, source) }
            report.flapping = presence.flaps.report(region: identifier, now: source.now)
            // A region of this machine's own has no state for the house.
            report.house = broker.flatMap { broker in
                broker.publishedRegion(identifier).map { HouseReport($0, hub: broker.hub, waiting: region.waiting) }
            }
            return report
        }
        guard let broker else { return own }
        let known = Set(own.map(\.identifier))
        return own
            + broker.publishedRegions.filter { !known.contains($0.identifier) }.map { region in
                RegionReport(identifier: region.identifier, house: HouseReport(region, hub: broker.hub))
            }
    }

    /// Returns the beacons in the air that follow a position, by identity.
    private func beacons(after position: BeaconPart.Position?, limit: Int) -> BeaconPart {
        let now = source.instant
        let first = now.advanced(by: .zero - Self.airTime)
        return BeaconPart(presence.driver.beacons(since: first, after: position, limit: limit), at: now)
    }

    /// Returns the number of receptions of a region's phone since the start or the addition of the phone, and the last RSSI; `nil` if
    /// there were none.
    func receptions(of region: String, phone: String) -> (count: Int, rssi: Int?)? {
        let snapshot = presence.driver.snapshot(at: source.instant)
        let found = zip(snapshot.regions, snapshot.judgements).first { $0.0.region.identifier == region }
        guard let (region, judgements) = found else { return nil }
        let beacons = judgements.filter { region.region.signs[$0.sign].phoneName == phone }.map(\.beacon)
        guard let last = beacons.max(by: { $0.lastHeard < $1.lastHeard }) else { return nil }
        return (beacons.reduce(0) { $0 + Int($1.count) }, last.rssi.map(Int.init))
    }

    package var prompts: PromptsReport {
        get async { await arrivalJoin.prompts }
    }

    package func answer(prompt id: String, _ answer: PromptAnswer) async throws(PromptAnswerError) {
        try await arrivalJoin.answered(id, answer)
    }
}

extension BatteryReport {
    /// - Parameter clock: the clock of the level's instant.
    init(_ battery: BeaconBattery, _ clock: some WallClock) {
        self.init(
            percent: Int(battery.percent), time: Timestamp.text(clock.wallTime(of: battery.received)),
            source: battery.source.rawValue, major: battery.identity.major, minor: battery.identity.minor)
    }
}

extension HouseReport {
    fileprivate init(_ published: RegionValue?, hub: String?, waiting: [String] = []) {
        // The last state that a hub published before it left is not the present one.
        let state = hub == nil ? .unknown : published?.state ?? .unknown
        self.init(
            state: state, lastKnown: published?.lastKnown ?? .unknown, since: published?.since.map(Timestamp.text),
            room: state == .inside ? published?.room : nil, owner: hub, waiting: waiting)
    }
}
