import HCI

/// The connections of an adapter that began during its session, of whatever program.
struct Connections: Hashable, Sendable {
    /// The maximum number of stored handles. Controllers have room for some ten connections.
    static let capacity = 64

    private var handles: Set<UInt16> = []

    var isEmpty: Bool { handles.isEmpty }

    /// Handles LE Connection Complete in its forms, which begin alike (Core Specification 5.4, Vol 4, Part E, Sections 7.7.65.1 and
    /// 7.7.65.10).
    mutating func completed(_ parameters: [UInt8]) {
        guard let handle = Self.handle(parameters), handles.count < Self.capacity else { return }
        handles.insert(handle)
    }

    /// Handles Disconnection Complete (Section 7.7.5).
    mutating func ended(_ parameters: [UInt8]) {
        if let handle = Self.handle(parameters) { handles.remove(handle) }
    }

    /// Reads `status, 1 | handle, 2`; `nil` for a failure and for malformed parameters.
    private static func handle(_ parameters: [UInt8]) -> UInt16? {
        guard parameters.count >= 3, HCIStatus(rawValue: parameters[0]) == .success else { return nil }
        return UInt16(parameters[1]) | UInt16(parameters[2]) << 8
    }
}
