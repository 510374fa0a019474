import Plumbing

/// The peripherals that are connected because of a service, as they are kept.
package struct PeripheralsMemory: KeptMemory {
    package struct Peripheral: Codable, Equatable, Sendable {
        /// What tells its rule from the others, and the service.
        package var rule: String
        package var service: String
        package var address: String
        package var name: String?
    }

    /// Nil where nobody is, as in files of before there were any.
    package var peripherals: [Peripheral]?

    package var isOccupied: Bool { peripherals != nil }

    package init(_ connected: [Peripheral]) {
        peripherals = connected.isEmpty ? nil : connected
    }
}
