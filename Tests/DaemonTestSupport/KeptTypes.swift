import Events
import Homecoming
package import Plumbing
import Presence
import ServiceWatch

/// What the daemon keeps over a restart.
package let keptTypes: [any KeptMemory.Type] = [
    PresenceMemory.self, PromptsMemory.self, PeripheralsMemory.self, EventsMemory.self,
]
