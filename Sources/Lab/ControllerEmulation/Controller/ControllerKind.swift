public enum ControllerKind: String, Hashable, Sendable {
    /// Bluetooth 4: legacy advertising only. A Raspberry Pi 4 is one, though it calls itself 5.0.
    case legacy

    /// Bluetooth 5: extended advertising and scanning as well.
    case extended

    /// Bluetooth 3 and earlier: BR/EDR without LE, as far as Linux needs it to set the controller up.
    case classic
}
