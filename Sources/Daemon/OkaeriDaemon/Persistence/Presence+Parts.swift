import IBeacon
import Listening
import OkaeriConfiguration
import Plumbing
import Presence
import RegionMonitoring

/// The region monitor's memory, persisted over a restart.
struct PersistablePresence: Persistable {
    let driver: PresenceDriver
    let source: any PresenceSource

    var memory: PresenceMemory { PresenceMemory(driver.memory(at: source.instant)) }

    func restore(_ memory: PresenceMemory, from past: PersistedPast) {
        driver.restore(memory.monitorMemory(isStale: past.isStale))
    }
}

/// The watched regions follow the configuration.
struct ConfiguredPresence: Configured {
    let presence: PresencePublisher
    let source: any PresenceSource

    func configured(_ configuration: Configuration) {
        presence.reload(configuration.regions.map(\.monitored), at: source.instant)
        source.wake()
    }
}
