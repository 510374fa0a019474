/// The characteristics with subscribed centrals, as bluetoothd reports them.
///
/// bluetoothd calls StartNotify for each central that subscribes, without naming it, and StopNotify when the last one has unsubscribed or
/// left (`ccc_write_cb` in its `gatt-database.c`). All subscriptions end with bluetoothd, the adapter or the registration, without a call.
struct Subscriptions: Sendable {
    /// The number of the last subscription to each, in the order of all.
    private var numbers: [MutableCharacteristic.ID: UInt64] = [:]

    /// The number of the last subscription.
    private(set) var last: UInt64 = 0

    func includes(_ characteristic: MutableCharacteristic.ID) -> Bool { numbers[characteristic] != nil }

    mutating func started(_ characteristic: MutableCharacteristic.ID) {
        last += 1
        numbers[characteristic] = last
    }

    /// Returns whether there was a subscription.
    mutating func stopped(_ characteristic: MutableCharacteristic.ID) -> Bool {
        numbers.removeValue(forKey: characteristic) != nil
    }

    /// Ends the subscriptions up to a number; those that came later are of the next registration. Returns the characteristics.
    mutating func end(upTo number: UInt64) -> [MutableCharacteristic.ID] {
        let ended = numbers.filter { $0.value <= number }.sorted { $0.value < $1.value }.map(\.key)
        for characteristic in ended { numbers[characteristic] = nil }
        return ended
    }
}
