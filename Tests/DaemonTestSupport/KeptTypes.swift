import Events
import Automation
package import Plumbing
import Presence

/// What the daemon keeps over a restart.
package let keptTypes: [any PersistedMemory.Type] = [
    PresenceMemory.self, PromptsMemory.self, PeripheralsMemory.self, EventsMemory.self,
]
