/// A Bluetooth adapter, as Linux sees it at the moment.
public struct Adapter: Hashable, Sendable {
    /// The reason why a radio is blocked.
    public enum RadioBlock: Hashable, Sendable {
        /// Nothing keeps it silent.
        case none

        /// Switched off in software: `rfkill unblock bluetooth` lifts it.
        case soft

        /// Switched off by a switch or key of the machine.
        case hard
    }

    /// The adapter's number, 0 for `hci0`.
    public var index: UInt16

    /// The kernel's name for it, `hci0`.
    public var name: String

    /// Whether it is switched on.
    public var isUp: Bool

    /// Whether rfkill holds it down.
    public var radioBlock: RadioBlock

    /// Whether the controller has Bluetooth LE. `true` as long as Linux has not read its features.
    public var hasLowEnergy: Bool

    /// Whether it is a stick of its own, so that no Wi-Fi shares its antenna.
    public var hasOwnAntenna: Bool

    /// An adapter as it was found; one without a switch of rfkill is not blocked.
    public init(
        index: UInt16, name: String, isUp: Bool, radioBlock: RadioBlock = .none, hasLowEnergy: Bool = true,
        hasOwnAntenna: Bool = false
    ) {
        self.index = index
        self.name = name
        self.isUp = isUp
        self.radioBlock = radioBlock
        self.hasLowEnergy = hasLowEnergy
        self.hasOwnAntenna = hasOwnAntenna
    }
}
