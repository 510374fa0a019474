extension FixedWidthInteger {
    /// A number as its `description` writes it, in digits of ASCII; nil for anything else: a plus, zeros in front, and
    /// for a number that is too big. `Int(_:)` accepts `+5` and `05`, which are typing errors or octal numbers.
    package init?(decimal text: some StringProtocol) {
        guard let number = Self(text), String(number) == text else { return nil }
        self = number
    }
}
