import OkaeriDBus
import OkaeriPlumbing
import Synchronization

/// The work of a ``PeripheralManager``: follows bluetoothd, and gives it what is desired. It must not hold the manager.
final class PeripheralEngine: Sendable {
    let adapter: String?
    let mirror: ObjectMirror
    let fallback: (any AdvertisingFallback)?
    let events = Broadcast<PeripheralManager.Event>(storing: PeripheralManager.backlog)
    let states = Broadcast<ManagerState>(changesFrom: .unknown)
    private let isStopped = Atomic(false)
    private let isOnAir = Atomic(false)
    private let desired = Mutex(DesiredState())
    /// The state and its reason, as they were published.
    private let published: Mutex<(state: ManagerState, reason: String)> = Mutex((.unknown, ""))
    /// The services as they are served now, and the bus to notify their values on.
    private let served = Mutex<(application: GATTApplication, bus: Bus)?>(nil)
    private let subscriptions = Mutex(Subscriptions())
    private let updates = Mutex(UpdateQueue())
    /// Wakes the task that sends values.
    private let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(adapter: String?, bus: String?, fallback: (any AdvertisingFallback)?) {
        self.adapter = adapter
        self.fallback = fallback
        mirror = ObjectMirror(address: bus)
    }

    /// Ends the sequences, and refuses further requests.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        published.withLock { $0 = (.unknown, "") }
        states.close()
        events.close()
    }

    // MARK: Requests

    /// Changes what is desired.
    func update(_ change: (inout DesiredState) throws(PeripheralError) -> Void) throws(PeripheralError) {
        let result = desired.withLock { desired -> Result<Void, PeripheralError> in
            // Under the lock, or the change might come after ``run()`` has released the services.
            if isStopped.load(ordering: .relaxed) { return .failure(.stopped) }
            do throws(PeripheralError) {
                return .success(try change(&desired))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        mirror.wakeAll()
    }

    /// Changes what is desired to less.
    func withdraw(_ change: (inout DesiredState) -> Void) {
        desired.withLock { change(&$0) }
        mirror.wakeAll()
    }

    func publish(_ event: PeripheralManager.Event) { events.send(event) }

    var state: ManagerState { published.withLock(\.state) }

    var isAdvertising: Bool { isOnAir.load(ordering: .relaxed) && !isStopped.load(ordering: .relaxed) }

    func setAdvertising(_ isAdvertising: Bool) { isOnAir.store(isAdvertising, ordering: .relaxed) }

    var obstacle: PeripheralError? {
        let (state, reason) = published.withLock(\.self)
        switch state {
        case .unknown, .poweredOn: return nil
        case .resetting, .unsupported, .unauthorized, .poweredOff: return .unavailable(state, reason: reason)
        }
    }
}

// MARK: Following bluetoothd

extension PeripheralEngine {
    /// Between two attempts, doubled up to the longest.
    private static let firstRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(30)

    /// Works until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.mirror.run() }
            group.addTask { await self.follow() }
            group.addTask { await self.sendUpdates() }
        }
        serve(nil)
        // The handlers may hold the manager.
        withdraw { $0 = DesiredState() }
    }

    private func follow() async {
        var registration = Registration(engine: self)
        var retry = BackOff(Self.firstRetry, limit: Self.longestRetry)
        while !Task.isCancelled {
            let wanted = desired.withLock(\.self)
            let view = mirror.view
            let snapshot = snapshot(view, wanted)
            // Without adapter and bluetoothd there are no subscribers, and no call reports it.
            if snapshot.adapter == nil { endSubscriptions() }
            report(snapshot, isRefused: registration.isRefused)
            let isContent = await registration.fulfil(wanted, snapshot, bus: view.bus)
            report(snapshot, isRefused: registration.isRefused)
            if isContent { retry.reset() }
            let deadline = isContent ? nil : ContinuousClock.now + retry.delay
            do throws(CentralError) {
                let hasChanged = try await mirror.wait(until: deadline, for: .connections) {
                    [registration] view -> Bool? in
                    let isSame = self.snapshot(view, wanted) == snapshot && !registration.isOutdated
                    return isSame && self.desired.withLock { $0.isSame(as: wanted) } ? nil : true
                }
                if hasChanged == nil { _ = retry.next() }
            } catch {
                // Cancelled or stopped: the look throws nothing.
                break
            }
        }
        registration.end()
        await registration.endFallback()
    }

    private func snapshot(_ view: ObjectMirror.View, _ wanted: DesiredState) -> RegistrationSnapshot {
        let interfaces = [
            wanted.services.isEmpty ? nil : Interface.gattManager,
            wanted.advertisement == nil ? nil : Interface.advertisingManager,
        ]
        return RegistrationSnapshot(
            view, adapter: adapter, interfaces: interfaces.compactMap(\.self))
    }

    /// Publishes the state and its reason if one of them is another one than before.
    ///
    /// - Parameter isRefused: Whether the bus does not let this process call bluetoothd, although it may read bluetoothd's objects.
    private func report(_ snapshot: RegistrationSnapshot, isRefused: Bool) {
        var (state, reason) = (snapshot.state, snapshot.reason)
        if isRefused, state == .poweredOn { (state, reason) = (.unauthorized, RegistrationSnapshot.mayNotAsk) }
        guard state != .unknown else { return }
        let isNews = published.withLock { published in
            // Under the lock, or it might come after ``stop()``.
            guard !isStopped.load(ordering: .relaxed) else { return false }
            defer { published = (state, reason) }
            return published != (state, reason)
        }
        guard isNews else { return }
        states.send(state)
        publish(.didUpdateState(state, reason: reason))
    }
}

// MARK: Serving values

extension PeripheralEngine {
    /// bluetoothd reads these services from now on; `nil`: none.
    func serve(_ services: (application: GATTApplication, bus: Bus)?) {
        served.withLock { $0 = services }
        if services == nil { endSubscriptions() }
    }

    func report(_ event: ServedEvent) {
        switch event {
        case .refused(let error, let central): publish(.didRefuse(error, central))
        case .subscribed(let characteristic):
            subscriptions.withLock {
                $0.started(characteristic)
                events.enqueue(.didSubscribe(characteristic))
            }
            events.deliver()
        case .unsubscribed(let characteristic): endSubscriptions { $0.stopped(characteristic) ? [characteristic] : [] }
        }
    }

    /// The number of the last subscription, for ``endSubscriptions(upTo:)``.
    var lastSubscription: UInt64 { subscriptions.withLock(\.last) }

    func endSubscriptions(upTo number: UInt64 = .max) {
        endSubscriptions { $0.end(upTo: number) }
    }

    /// Ends subscriptions, and drops the values that wait for their centrals: a later subscriber would receive them as new.
    ///
    /// - Parameter end: Ends the subscriptions, and returns their characteristics.
    private func endSubscriptions(_ end: (inout Subscriptions) -> [MutableCharacteristic.ID]) {
        subscriptions.withLock { subscriptions in
            let ended = end(&subscriptions)
            let hasRoom = updates.withLock { $0.drop(ended) }
            // Under the lock, or the events of two threads might come in another order than their changes.
            for characteristic in ended { events.enqueue(.didUnsubscribe(characteristic)) }
            if hasRoom { events.enqueue(.isReadyToUpdateSubscribers) }
        }
        events.deliver()
    }

    func updateValue(_ value: [UInt8], for characteristic: MutableCharacteristic.ID) -> PeripheralManager.UpdateResult {
        guard served.withLock(\.self)?.application.path(of: characteristic) != nil else { return .notServed }
        let value = Array(value.prefix(MutableCharacteristic.longestValue))
        let result = subscriptions.withLock { subscriptions -> PeripheralManager.UpdateResult in
            guard subscriptions.includes(characteristic) else { return .noSubscriber }
            let isTaken = updates.withLock { $0.append(.init(characteristic: characteristic, value: value)) }
            return isTaken ? .queued : .queueFull
        }
        if result == .queued { wake.yield() }
        return result
    }

    private func sendUpdates() async {
        for await _ in wakes {
            while case let entries = updates.withLock({ $0.next() }), !entries.isEmpty {
                await send(entries)
                if updates.withLock({ $0.sent() }) { publish(.isReadyToUpdateSubscribers) }
            }
        }
    }

    /// Sends values, and returns when bluetoothd has taken them: the bus itself queues any number.
    private func send(_ entries: [UpdateQueue.Entry]) async {
        guard let (application, bus) = served.withLock(\.self) else { return }
        do throws(BusError) {
            for entry in entries {
                // A subscription may have ended since the value was taken.
                guard subscriptions.withLock({ $0.includes(entry.characteristic) }),
                    let path = application.path(of: entry.characteristic)
                else { continue }
                // To bluetoothd alone: a signal to all would reach every user with a login.
                try await bus.changed(
                    ["Value": .bytes(entry.value)], of: Interface.characteristic, at: path, to: Interface.service)
            }
            // bluetoothd handles the messages of a connection in their order.
            _ = try await bus.call(Interface.service, "/", Interface.peer, "Ping", within: ObjectMirror.replyTimeout)
        } catch {
            switch error {
            // The end of bluetoothd or of the bus ends the subscriptions, too.
            case .noOwner, .disconnected, .cancelled: break
            case .timedOut, .refused, .unreadable:
                let reason = "bluetoothd may not have taken \(entries.count) values: \(error)"
                publish(.didFailToUpdateSubscribers(reason: reason))
            }
        }
    }
}
