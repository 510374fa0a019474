import Plumbing

/// The peripherals that are connected because of a service, as they are kept.
package struct PeripheralsMemory: PersistedMemory {
    package struct Peripheral: Codable, Equatable, Sendable {
        /// The label of the rule, and the service.
        package var rule: String
        package var service: String
        package var address: String
        package var name: String?
    }

    /// `nil` if none is connected, as in files of versions without this key.
    package var peripherals: [Peripheral]?

    package var isOccupied: Bool { peripherals != nil }

    package init(_ connected: [Peripheral]) {
        peripherals = connected.isEmpty ? nil : connected
    }
}
