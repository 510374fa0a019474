/// The values that wait for bluetoothd to take them: bounded, and its own report when there is room again.
struct UpdateQueue: Sendable {
    struct Entry: Sendable, Equatable {
        let characteristic: MutableCharacteristic.ID
        let value: [UInt8]
    }

    /// The number of values that wait at most, with those that are being sent.
    static let capacity = 64

    /// The length of all waiting values together, in bytes: 32 of the longest.
    static let byteCapacity = 16 * 1024

    private var waiting: [Entry] = []
    private var sending: [Entry] = []

    /// The length of all values here, in bytes.
    private var byteCount = 0

    /// Whether a value was refused since there was room.
    private var hasRefused = false

    /// Returns whether there is room for the value; if not, the end of a sending reports when there is.
    mutating func append(_ entry: Entry) -> Bool {
        guard waiting.count + sending.count < Self.capacity, byteCount + entry.value.count <= Self.byteCapacity else {
            hasRefused = true
            return false
        }
        byteCount += entry.value.count
        waiting.append(entry)
        return true
    }

    /// Returns the values to send now, in their order; empty if none waits. With their end comes ``sent()``.
    mutating func next() -> [Entry] {
        guard sending.isEmpty else { return [] }
        (sending, waiting) = (waiting, [])
        return sending
    }

    /// bluetoothd has taken what was being sent, or it is lost. Returns whether the program waits for room.
    mutating func sent() -> Bool {
        byteCount -= sending.reduce(0) { $0 + $1.value.count }
        sending = []
        defer { hasRefused = false }
        return hasRefused
    }

    /// Drops the waiting values of characteristics. Returns whether the program waits for room, and values were dropped.
    mutating func drop(_ characteristics: [MutableCharacteristic.ID]) -> Bool {
        let dropped = waiting.filter { characteristics.contains($0.characteristic) }
        guard !dropped.isEmpty else { return false }
        waiting.removeAll { characteristics.contains($0.characteristic) }
        byteCount -= dropped.reduce(0) { $0 + $1.value.count }
        defer { hasRefused = false }
        return hasRefused
    }
}
