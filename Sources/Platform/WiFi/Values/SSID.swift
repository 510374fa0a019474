/// The name of a network as its access points send it, compared byte by byte.
///
/// Swift compares strings by canonical equivalence: "Café" with a composed and with a decomposed "é" would be one network.
public struct SSID: Hashable, Sendable, Comparable, ExpressibleByStringLiteral {
    public let text: String

    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.text = text }

    public static func == (one: SSID, other: SSID) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    public static func < (one: SSID, other: SSID) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}
