import IBeacon
import OkaeriConfiguration
import OkaeriListening
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring

/// The region monitor's memory, persisted over a restart.
struct PersistablePresence: Persistable {
    let driver: PresenceDriver
    let source: any PresenceSource

    var memory: PresenceMemory { PresenceMemory(driver.memory(at: source.instant), since: driver.knownSince) }

    func restore(_ memory: PresenceMemory, from past: PersistedPast) {
        driver.restore(memory.monitorMemory(isStale: past.isStale), since: memory.since)
    }
}

/// The battery levels, persisted over a restart.
struct PersistableBatteries: Persistable {
    let driver: PresenceDriver
    let source: any PresenceSource

    var memory: BatteryMemory { BatteryMemory(driver.batteries, source) }

    func restore(_ memory: BatteryMemory, from past: PersistedPast) {
        driver.restore(memory.levels(source), readings: memory.readings(source))
    }
}

/// The watched regions, the adapter and the scan follow the configuration.
struct ConfiguredPresence: Configured {
    let presence: PresencePublisher
    let source: any PresenceSource

    func configured(_ configuration: Configuration) {
        let regions = configuration.regions.map(\.monitored)
        let adapter = source as? AdapterSource
        let quietPeriod = adapter.map { _ in RadioLiveness.quietPeriod(for: regions) }
        presence.reload(
            regions, identities: configuration.identities, quietPeriod: quietPeriod, at: source.instant)
        if let adapter, let quietPeriod {
            adapter.reconfigure(
                adapter: configuration.adapter, scan: configuration.scan, quietPeriod: quietPeriod)
        }
        source.wake()
    }
}
