import OkaeriDBus

extension Peripheral {
    /// A change of the connection to a peripheral, or of what it offers.
    public enum Event: Sendable, Hashable {
        /// It is connected, also by another program, and its services are known.
        case didConnect
        /// The connection has ended; the reason is that of bluetoothd 5.82 and later, and `nil` with an earlier one.
        case didDisconnect(reason: DisconnectionReason?)
        /// It offers other services or characteristics than before: look for them again in ``Peripheral/services``.
        case didModifyServices
    }

    /// The number of events that a reader may leave unread; of more the oldest are dropped.
    private static let eventLimit = 64

    /// The time without a change after which other services are reported. bluetoothd adds and removes them one by one, and
    /// removes them before it signals the end of a connection.
    private static let settlingTime = Duration.milliseconds(500)

    /// The changes from this access on, until the reader's task is cancelled or the manager stopped. Each access creates a
    /// sequence of its own, for one reader.
    public var events: AsyncStream<Event> {
        let start = PeripheralPresence(of: self, in: manager.mirror.view)
        return AsyncStream(bufferingPolicy: .bufferingNewest(Self.eventLimit)) { continuation in
            let task = Task {
                await self.follow(from: start) { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func follow(from start: PeripheralPresence, _ publish: (Event) -> Void) async {
        var (last, announced) = (start, start)
        while true {
            let isSettling = last.hasOtherAttributes(than: announced)
            do throws(CentralError) {
                let next = try await change(from: last, until: isSettling ? .now + Self.settlingTime : nil)
                if let next { last = next }
                if next != nil, last.hasOtherAttributes(than: announced) { continue }
                announced.follow(last).forEach(publish)
            } catch {
                return
            }
        }
    }

    /// Waits until the presence is another one. Returns `nil` when the time is up.
    private func change(
        from last: PeripheralPresence, until deadline: ContinuousClock.Instant?
    ) async throws(CentralError) -> PeripheralPresence? {
        let mirror = manager.mirror
        let interest =
            device(mirror.view).map(Interest.object)
            ?? .devices { [address] device in
                device["Address"]?.string?.uppercased() == address.uppercased()
            }
        return try await mirror.wait(until: deadline, for: interest) { view in
            let next = PeripheralPresence(of: self, in: view)
            return next == last ? nil : next
        }
    }
}

/// The visible state of a peripheral at a moment.
struct PeripheralPresence: Sendable, Equatable {
    /// Whether it is connected, and its services are known.
    var isReady: Bool
    /// Whether it is connected, with or without its services.
    var isConnected: Bool
    var lastEnd: UInt64
    var reason: DisconnectionReason?
    /// The objects of the services and characteristics; empty while it is not ready.
    var attributes: [String]
}

extension PeripheralPresence {
    init(of peripheral: Peripheral, in view: ObjectMirror.View) {
        let end = view.ends.last(of: peripheral.address)
        let device = peripheral.device(view)
        let isConnected = device.map { view.isConnected($0) } ?? false
        let isReady = isConnected && device.map { view.isResolved($0) } ?? false
        let attributes = isReady ? device.map { view.tree.attributes(of: $0) } : nil
        self.init(
            isReady: isReady, isConnected: isConnected, lastEnd: end?.number ?? 0, reason: end?.reason,
            attributes: attributes ?? [])
    }

    /// Whether the peripheral has been connected since an earlier state, and offers something else.
    func hasOtherAttributes(than before: PeripheralPresence) -> Bool {
        isReady && before.isReady && lastEnd == before.lastEnd && attributes != before.attributes
    }

    /// Takes over a later state, as far as there is an event for it. Returns the events from this state to that.
    mutating func follow(_ next: PeripheralPresence) -> [Peripheral.Event] {
        let (before, wasLost) = (self, next.lastEnd > lastEnd || !next.isConnected)
        self = next
        guard before.isReady else { return next.isReady ? [.didConnect] : [] }
        if wasLost { return [.didDisconnect(reason: next.reason)] + (next.isReady ? [.didConnect] : []) }
        guard next.isReady else {
            // It is not known yet whether the connection ends, or its services are discovered again.
            (isReady, attributes) = (true, before.attributes)
            return []
        }
        return next.hasOtherAttributes(than: before) ? [.didModifyServices] : []
    }
}

extension ObjectTree {
    fileprivate func attributes(of device: String) -> [String] {
        [Interface.gattService, Interface.characteristic].flatMap { interface in
            paths(with: interface, below: device).map { path in
                "\(path) \(self[path, interface]?["UUID"]?.string ?? "")"
            }
        }
    }
}
