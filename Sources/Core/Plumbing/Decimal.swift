extension FixedWidthInteger {
    /// A number as its `description` writes it, in digits of ASCII; nil for anything else: a plus, zeros in front, and for a
    /// number that is too big. `Int(_:)` takes `+5` and `05`, which somebody has mistyped, or means in octal.
    package init?(decimal text: some StringProtocol) {
        guard let number = Self(text), String(number) == text else { return nil }
        self = number
    }
}
