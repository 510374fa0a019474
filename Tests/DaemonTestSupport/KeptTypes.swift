import Events
import Automation
package import Plumbing
import Presence

/// The types that the daemon persists over a restart.
package let keptTypes: [any PersistedMemory.Type] = [
    PresenceMemory.self, PromptsMemory.self, PeripheralsMemory.self, EventsMemory.self,
]
