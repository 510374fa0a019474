import Testing

@testable import BlueZ

@Suite struct SubscriptionsTests {
    private let first = MutableCharacteristic(BluetoothUUID(0x2A19), properties: .notify).id
    private let second = MutableCharacteristic(BluetoothUUID(0x2A19), properties: .notify).id

    @Test func `a subscription that came after a registration outlasts the end of the earlier ones`() {
        var subscriptions = Subscriptions()
        subscriptions.started(first)
        subscriptions.started(second)
        let last = subscriptions.last
        subscriptions.started(first)
        let ended = subscriptions.end(upTo: last)
        #expect(ended == [second])
        #expect(subscriptions.includes(first) && !subscriptions.includes(second))
        let all = subscriptions.end(upTo: .max)
        #expect(all == [first])
    }

    @Test func `the end of a subscription that is not known is not an end`() {
        var subscriptions = Subscriptions()
        subscriptions.started(first)
        let (unknown, known, again) = (
            subscriptions.stopped(second), subscriptions.stopped(first), subscriptions.stopped(first)
        )
        #expect((unknown, known, again) == (false, true, false))
    }

    @Test func `subscriptions end in the order of their beginning`() {
        var subscriptions = Subscriptions()
        subscriptions.started(second)
        subscriptions.started(first)
        let ended = subscriptions.end(upTo: .max)
        #expect(ended == [second, first])
    }
}
