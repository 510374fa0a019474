import FoundationEssentials
import OkaeriFuzzSupport
import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
@testable import OkaeriDaemon
import OkaeriWiFi

/// A monitor goes on from what was kept: its beacons come and go again, and what it knows then can be kept.
func goOn(from memory: RegionMonitor.Memory, _ written: StateStamp) {
    var now = RegionMonitoring.Instant(nanoseconds: 0)
    // No more than a household has.
    let regions = memory.regions.prefix(8).compactMap { region -> MonitoredRegion? in
        let signs = region.signs.map { RegionSign($0.identity) }
        return signs.first.map {
            MonitoredRegion(identifier: region.identifier, $0, or: Array(signs.dropFirst()), ranging: .whileInside)
        }
    }
    var monitor = RegionMonitor(regions, at: now)
    monitor.restored(memory)
    require(monitor.memory(at: now).regions.count <= regions.count, "regions were made up")
    var actions = monitor.monitoringStarted(at: now) + monitor.adapterRecovered(at: now)
    for beacon in memory.beacons.prefix(4) {
        for _ in 0..<3 {
            let sighting = BeaconSighting(identity: beacon.identity, measuredPower: -59, rssi: -60)
            actions += monitor.sighted(sighting, at: now)
            now = now.advanced(by: .milliseconds(700))
        }
    }
    _ = monitor.judgements(at: now, limit: 8)
    for _ in 0..<64 {
        guard let deadline = monitor.nextDeadline, deadline.nanoseconds < .max else { break }
        now = max(now, deadline)
        actions += monitor.advanced(to: now)
    }
    let names = Set(regions.map(\.identifier))
    for case .didExitRegion(let region) in actions {
        require(names.contains(region), "a region was left that is not one")
    }
    let later = monitor.memory(at: now)
    require(later.beacons.count <= RegionMonitor.memoryCapacity, "more is known than can be kept")
    let kept = PersistedState(written: written, parts: [PresenceMemory(later)])
    guard let text = try? kept.text, let read = try? PersistedState(text: text, [PresenceMemory.self]),
        let again = read[PresenceMemory.self]?.monitorMemory(isStale: false)
    else { return require(false, "what is known cannot be kept") }
    require(again.regions.map(\.identifier) == later.regions.map(\.identifier), "other regions are kept")
    require(again.beacons.map(\.identity) == later.beacons.map(\.identity), "other beacons are kept")
}

/// Events are counted on from what was kept: no number is given twice, and each is sent as it is.
func goOn(from memory: EventsMemory) {
    let hub = EventHub(node: "pi")
    hub.restore(memory, from: PersistedPast(age: nil, isStale: true))
    let before = hub.sequence
    require(before >= memory.sequence ?? 0, "a number is given twice")
    hub.happened(.didExitRegion(region: "home"), at: 0)
    let published = hub.next(after: before)
    require(published?.sequence == before + 1, "an event has another number than its own")
    let read = published.flatMap { try? JSONDecoder().decode(Event.self, from: Data($0.json.utf8)) }
    require(read == published, "an event is sent as another one")
}

/// A prompter goes on from the persisted state: all regions are entered, prompted for, and left.
func goOn(from memory: PromptMemory) {
    typealias Instant = ContinuousClock.Instant
    var now = Instant.now
    var networks: [String: HomeNetwork] = [:]
    for visit in memory.prompts.visits.prefix(8) {
        let departure: NetworkAction? = visit.isDeparting == true ? .leave : nil
        guard let network = try? HomeNetwork(ssid: visit.ssid, join: .prompt, onDeparture: departure) else { continue }
        for region in visit.regions.prefix(4) { networks[region] = network }
    }
    var prompter = JoinPrompter<Instant>()
    prompter.restored(memory, age: .seconds(7), networks: networks, at: now)
    var asked: [(ticket: Int, ssid: String)] = []
    func take(_ actions: [PrompterAction]) {
        for case .determineCondition(let ticket, let network, _) in actions { asked.append((ticket, network.ssid)) }
    }
    for (region, network) in networks.sorted(by: { $0.key < $1.key }) {
        take(prompter.arrived(region: region, network: network, at: now))
    }
    for ask in asked { take(prompter.conditionDetermined(ticket: ask.ticket, .ready(via: .savedProfile), at: now)) }
    require(
        Set(prompter.prompts.map { SSID($0.ssid) }).count == prompter.prompts.count, "a network is asked about twice")
    let never = Set(memory.prompts.never.map { SSID($0) })
    require(prompter.prompts.allSatisfy { !never.contains(SSID($0.ssid)) }, "a refused network is asked about")
    now = now.advanced(by: .seconds(1))
    for region in networks.keys.sorted() { take(prompter.departed(region: region, at: now)) }
    require(prompter.prompts.isEmpty, "somebody is asked who is gone")
    require(Set(prompter.memory(at: now).prompts.never.map { SSID($0) }) == never, "what was refused is forgotten")
}
