import OkaeriDBus
import OkaeriPlumbing

extension CentralManager {
    /// The time of looking for an advertisement before a connection to a known peripheral is tried without one.
    private static let scanTimeout = Duration.seconds(10)

    /// The number of attempts to connect: the first one fails by chance now and then.
    private static let attempts = 3

    private static let pause = Duration.seconds(1)

    /// The time that bluetoothd has to give up an attempt. It ends a link that is there already within two seconds.
    private static let cancelTimeout = Duration.seconds(5)

    /// Connects a peripheral and discovers its services (`org.bluez.Device1`, Connect).
    ///
    /// When the task is cancelled or the time is up, bluetoothd gives up the attempt as well; a connection that was
    /// there before stays.
    ///
    /// - Parameters:
    ///   - address: its address, `DC:A6:32:01:02:03`.
    ///   - limit: for all of it; it is looked for during a third of that, ten seconds at most.
    /// - Throws: ``CentralError/notFound(address:after:)``, ``CentralError/connectionFailed(address:reason:)``,
    ///   ``CentralError/timedOut(what:after:)``, ``CentralError/cancelled``, or what is wrong with Bluetooth.
    public func connect(
        _ address: String, within limit: Duration = .seconds(40)
    ) async throws(CentralError) -> Peripheral {
        let deadline = ContinuousClock.now + limit
        let adapter = try await ready()
        let device = try await find(address, on: adapter, within: min(Self.scanTimeout, limit / 3))
        var failure: CentralError?
        for attempt in 1...Self.attempts where ContinuousClock.now < deadline {
            if attempt > 1 { guard await Self.pause.elapsed() else { throw .cancelled } }
            do throws(CentralError) {
                try await connect(device, address: address, until: deadline)
                return Peripheral(address: address, manager: self)
            } catch .connectionFailed(let address, let reason) {
                failure = .connectionFailed(address: address, reason: reason)
            } catch .timedOut(let what, _) {
                // The limit of the caller, and not what the attempts before have left of it.
                throw .timedOut(what: what, after: limit)
            }
        }
        throw failure ?? .timedOut(what: "the connection to \(address)", after: limit)
    }

    /// Connects a peripheral of a scan; see ``connect(_:within:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - discovery: The peripheral.
    ///   - limit: The time limit for all of it.
    /// - Throws: As ``connect(_:within:)-(String,_)``.
    public func connect(
        _ discovery: Discovery, within limit: Duration = .seconds(40)
    ) async throws(CentralError) -> Peripheral {
        try await connect(discovery.address, within: limit)
    }

    /// Ends a connection, also of another program, or an attempt to connect (`org.bluez.Device1`, Disconnect).
    ///
    /// - Throws: ``CentralError/timedOut(what:after:)``, ``CentralError/cancelled``, or what bluetoothd has against it.
    ///   A device without a connection causes no error.
    public func cancelPeripheralConnection(_ address: String) async throws(CentralError) {
        guard let adapter = mirror.view.workingAdapter(named: adapter),
            let device = mirror.view.device(address, on: adapter.path)
        else { return }
        do throws(BusError) {
            _ = try await mirror.call(device, Interface.device, "Disconnect")
        } catch .refused("org.bluez.Error.NotConnected", _), .noOwner {
        } catch {
            if !error.saysItIsGone {
                throw CentralError(error, what: "the disconnection of \(address)", limit: ObjectMirror.replyTimeout)
            }
        }
        // The answer may come before the news.
        _ = try await mirror.wait(until: .now + ObjectMirror.replyTimeout, for: .object(device)) { view in
            view.isConnected(device) ? nil : true
        }
    }

    /// The device object of a peripheral, which it has once it was heard.
    private func find(
        _ address: String, on adapter: ObjectMirror.View.Adapter, within limit: Duration
    ) async throws(CentralError) -> String {
        if let device = mirror.view.device(address, on: adapter.path), mirror.view.isInSight(device) { return device }
        let address = address.uppercased()
        let request = discovery.request(DiscoveryFilter(address: address))
        defer { request.end() }
        let interest = Interest.devices { $0["Address"]?.string?.uppercased() == address }
        let heard = try await mirror.wait(until: .now + limit, for: interest) {
            view throws(CentralError) -> String? in
            if let obstacle = view.obstacle(adapter: self.adapter) { throw obstacle }
            return view.device(address, on: adapter.path).flatMap { view.isInSight($0) ? $0 : nil }
        }
        guard let device = heard ?? mirror.view.device(address, on: adapter.path) else {
            throw .notFound(address: address, after: limit)
        }
        return device
    }

    /// One attempt. One that is cancelled or takes too long is over for bluetoothd as well.
    private func connect(
        _ device: String, address: String, until deadline: ContinuousClock.Instant
    ) async throws(CentralError) {
        attempts.begin()
        defer { attempts.end() }
        let limit = ContinuousClock.now.duration(to: deadline)
        let wasConnected = mirror.view.isConnected(device)
        let reply = send(device, Interface.device, "Connect", within: limit)
        do throws(CentralError) {
            try await follow(reply, of: device, address: address, until: deadline)
        } catch {
            switch error {
            case .cancelled, .timedOut: if !wasConnected { await cancel(reply, of: device) }
            case .noBus, .noDaemon, .noAdapter, .poweredOff, .notPermitted, .notFound, .connectionFailed, .disconnected,
                .noCharacteristic, .ambiguous, .notSupported, .refused, .unexpected:
                break
            }
            throw error
        }
    }

    /// From the call of Connect until the services are known.
    private func follow(
        _ reply: PendingReply, of device: String, address: String, until deadline: ContinuousClock.Instant
    ) async throws(CentralError) {
        let limit = ContinuousClock.now.duration(to: deadline)
        let ends = mirror.view.ends.number(of: address)
        let result = try await answer(to: reply, within: limit, watching: .object(device)) { view in
            let isThere = view.tree[device, Interface.device] != nil
            return view.obstacle(adapter: self.adapter)
                ?? (isThere ? nil : .connectionFailed(address: address, reason: "bluetoothd has forgotten it"))
        }
        switch result {
        case .success, .failure(.refused("org.bluez.Error.AlreadyConnected", _)): break
        case .failure(.refused(let name, let message)) where name.hasPrefix("org.bluez.Error."):
            throw .connectionFailed(address: address, reason: Self.reason(name, message))
        case .failure(let error) where error.saysItIsGone:
            throw .connectionFailed(address: address, reason: "bluetoothd has forgotten it")
        case .failure(let error): throw CentralError(error, what: "the connection to \(address)", limit: limit)
        }
        try await mirror.refresh()
        let isResolved = try await mirror.wait(until: deadline, for: .object(device)) {
            view throws(CentralError) -> Bool? in
            if let obstacle = view.obstacle(adapter: self.adapter) { throw obstacle }
            guard view.isConnected(device) else {
                let reason = view.ends.reason(of: address, after: ends).map { ": \($0)" } ?? ""
                throw .connectionFailed(address: address, reason: "the connection was lost at once" + reason)
            }
            return view.isResolved(device) ? true : nil
        }
        if isResolved == nil {
            throw .timedOut(what: "the discovery of the services of \(address)", after: limit)
        }
        try await mirror.refresh()
    }

    /// The maximum length of a reason, in characters.
    private static let longestReason = 200

    /// Returns the reason of an error of bluetoothd, on one line.
    private static func reason(_ name: String, _ message: String) -> String {
        String((message.isEmpty ? name : message).plain().prefix(longestReason))
    }

    /// Has bluetoothd give up an attempt; otherwise it would connect to the peripheral if it is found later.
    private func cancel(_ reply: PendingReply, of device: String) async {
        // A task of its own: this one may be cancelled, and waits for nothing any more.
        let work = Task { [self, mirror] in
            for _ in 1...2 {
                let wasAnswered = reply.result != nil
                _ = try? await mirror.call(device, Interface.device, "Disconnect", within: Self.cancelTimeout)
                if wasAnswered { return }
                // Connect may have reached bluetoothd after it. Its answer proves that it has not.
                let result = try? await answer(to: reply, within: Self.pause, watching: .adapters) { _ in nil }
                if case .failure(let error) = result, error != .timedOut { return }
            }
        }
        await work.value
    }
}

extension BusError {
    /// Whether the called object does not exist any more, nor the connection.
    fileprivate var saysItIsGone: Bool {
        switch self {
        case .refused("org.freedesktop.DBus.Error.UnknownObject", _),
            .refused("org.freedesktop.DBus.Error.UnknownMethod", _):
            true
        case .noOwner, .disconnected, .refused, .timedOut, .cancelled, .unreadable: false
        }
    }
}

extension ObjectMirror.View {
    func isConnected(_ device: String) -> Bool { tree[device, Interface.device].map(Discovery.isConnected) ?? false }

    func isResolved(_ device: String) -> Bool { tree[device, Interface.device]?["ServicesResolved"]?.boolean == true }

    func isInSight(_ device: String) -> Bool { isConnected(device) || tree[device, Interface.device]?["RSSI"] != nil }
}
