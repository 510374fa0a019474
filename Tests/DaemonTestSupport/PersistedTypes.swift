import OkaeriAutomation
import OkaeriEvents
package import OkaeriPlumbing
import OkaeriPresence
import OkaeriWiFi

/// The types that the daemon persists over a restart.
package let persistedTypes: [any PersistedMemory.Type] = [
    PresenceMemory.self, BatteryMemory.self, PromptMemory.self, OccupancyMemory.self, PeripheralsMemory.self,
    EventsMemory.self,
]
