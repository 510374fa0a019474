import Events
import Automation
package import Plumbing
import Presence

/// The types that the daemon persists over a restart.
package let persistedTypes: [any PersistedMemory.Type] = [
    PresenceMemory.self, PromptsMemory.self, PeripheralsMemory.self, EventsMemory.self,
]
