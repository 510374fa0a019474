import OkaeriDBus
import Synchronization

/// Carries out the actions of the ``RegistrationMachine``, over a bus.
struct Registration: Sendable {
    private let manager: PeripheralManager
    private var machine = RegistrationMachine()
    private var bus: Bus?
    private var application: (objects: GATTApplication, exports: [BusExport])?
    private var advertisement: BusExport?
    /// Set when bluetoothd has ended the advertisement by itself.
    private var released = Flag()
    /// Whether the fallback advertises.
    private var isFallenBack = false

    init(manager: PeripheralManager) {
        self.manager = manager
    }

    /// Whether bluetoothd has ended something by itself.
    var isOutdated: Bool { released.isSet }

    /// Gives bluetoothd what is wanted and it has not yet.
    ///
    /// - Returns: whether there is nothing more to be done, until something changes.
    mutating func fulfil(_ wanted: PeripheralManager.DesiredState, _ snapshot: RegistrationSnapshot, bus: Bus?) async
        -> Bool
    {
        if bus !== self.bus {
            end()
            await endFallback()
        }
        self.bus = bus
        if isOutdated {
            released = Flag()
            machine.released()
        }
        guard let bus else { return true }
        var actions = machine.observed(.init(wanted, snapshot))[...]
        while let action = actions.popFirst() {
            do throws(BusError) {
                guard try await perform(action, wanted, on: bus) else { continue }
                actions += machine.ended(isDone: true)
            } catch {
                publish(error, snapshot)
                _ = machine.ended(isDone: false)
                return false
            }
        }
        return true
    }

    /// Forgets everything: the bus has gone, and with it all that was given by it.
    mutating func end() {
        for action in machine.busLost() { performAtOnce(action) }
    }

    /// Ends what the fallback advertises.
    mutating func endFallback() async {
        guard isFallenBack else { return }
        isFallenBack = false
        await manager.fallback?.stop()
    }

    /// Returns whether it took its time, and the machine needs an event of its end.
    private mutating func perform(
        _ action: RegistrationMachine.Action, _ wanted: PeripheralManager.DesiredState, on bus: Bus
    ) async throws(BusError) -> Bool {
        switch action {
        case .exportServices(let version): try await export(wanted.services, version: version, on: bus)
        case .registerServices(let version, let adapter):
            try await register(
                Interface.gattManager, "RegisterApplication", Self.root(version), adapter, on: bus)
        case .unregisterServices(let version, let adapter):
            // They are not read on the way out.
            manager.served.withLock { $0 = nil }
            _ = try? await call(bus, adapter, Interface.gattManager, "UnregisterApplication", Self.root(version))
        case .exportAdvertisement(let number):
            guard let advertisement = wanted.advertisement else { return true }
            let interface = advertisement.interface { [released, mirror = manager.mirror] in
                released.set()
                mirror.wakeAll()
            }
            self.advertisement = try await bus.export(interface, at: Self.path(number))
        case .registerAdvertisement(let number, let adapter):
            try await registerAdvertisement(Self.path(number), wanted.advertisement, adapter, on: bus)
        case .unregisterAdvertisement(let number, let adapter):
            await endFallback()
            _ = try? await call(
                bus, adapter, Interface.advertisingManager, "UnregisterAdvertisement", Self.path(number))
        case .withdrawServices, .withdrawAdvertisement, .didAddServices, .didStartAdvertising:
            performAtOnce(action)
            return false
        }
        return true
    }

    private mutating func performAtOnce(_ action: RegistrationMachine.Action) {
        switch action {
        case .withdrawServices:
            manager.served.withLock { $0 = nil }
            application = nil
        case .withdrawAdvertisement: advertisement = nil
        case .didAddServices(let adapter): manager.publish(.didAddServices(adapter: adapter.lastName))
        case .didStartAdvertising(let adapter): manager.publish(.didStartAdvertising(adapter: adapter.lastName))
        case .exportServices, .registerServices, .unregisterServices, .exportAdvertisement, .registerAdvertisement,
            .unregisterAdvertisement:
            break
        }
    }

    private mutating func export(_ services: [MutableService], version: Int, on bus: Bus) async throws(BusError) {
        let new = GATTApplication(services, at: Self.root(version)) { [weak manager] error, central in
            manager?.publish(.didRefuse(error, central))
        }
        var exports = [try await bus.export(new.manager, at: new.root)]
        for (path, interface) in new.objects { exports.append(try await bus.export(interface, at: path)) }
        application = (new, exports)
        manager.served.withLock { $0 = (new, bus) }
    }

    private static func root(_ version: Int) -> String { "/okaeri/application\(version)" }

    private static func path(_ number: Int) -> String { "/okaeri/advertisement\(number)" }

    private func register(
        _ interface: String, _ method: String, _ object: String, _ adapter: String, on bus: Bus
    ) async throws(BusError) {
        do throws(BusError) {
            try await call(bus, adapter, interface, method, object, .properties([:]))
        } catch {
            guard case .refused("org.bluez.Error.AlreadyExists", _) = error else { throw error }
        }
    }

    /// Registers the advertisement, or advertises without bluetoothd: some kernels refuse its command Add Extended Advertising Data
    /// as Invalid Parameters (raspberrypi/linux #7473), which bluetoothd reports as Failed.
    private mutating func registerAdvertisement(
        _ path: String, _ advertisement: Advertisement?, _ adapter: String, on bus: Bus
    ) async throws(BusError) {
        await endFallback()
        do throws(BusError) {
            try await register(Interface.advertisingManager, "RegisterAdvertisement", path, adapter, on: bus)
        } catch {
            guard error.isRefusedContent, let advertisement, let fallback = manager.fallback else { throw error }
            do throws(AdvertisementError) {
                try await fallback.start(advertisement, adapter: adapter.lastName)
                isFallenBack = true
            } catch let obstacle {
                throw error.with(obstacle)
            }
        }
    }

    private func call(
        _ bus: Bus, _ adapter: String, _ interface: String, _ method: String, _ object: String,
        _ more: DBusValue...
    ) async throws(BusError) {
        _ = try await bus.call(
            Interface.service, adapter, interface, method, [.objectPath(object)] + more,
            within: ObjectMirror.replyTimeout)
    }

    private func publish(_ error: BusError, _ snapshot: RegistrationSnapshot) {
        let adapter = snapshot.adapter?.name ?? "any adapter"
        switch error {
        // The end of bluetoothd is noticed elsewhere.
        case .noOwner, .disconnected, .cancelled: break
        case .refused where error.isRefusal:
            manager.publish(.didUpdateState(.unauthorized, reason: RegistrationSnapshot.mayNotAsk))
        case .refused("org.bluez.Error.NotPermitted", _):
            manager.publish(.didFail(reason: "\(adapter) advertises as much as it can already, for other programs"))
        case .refused, .timedOut, .unreadable:
            manager.publish(.didFail(reason: "bluetoothd does not take it on \(adapter): \(error)"))
        }
    }
}

extension RegistrationMachine.Situation {
    fileprivate init(_ wanted: PeripheralManager.DesiredState, _ snapshot: RegistrationSnapshot) {
        self.init(
            services: .init(version: wanted.servicesVersion, isWanted: !wanted.services.isEmpty),
            advertisement: .init(version: wanted.advertisementVersion, isWanted: wanted.advertisement != nil),
            isConnectable: wanted.advertisement?.kind == .connectable,
            adapter: snapshot.state == .poweredOn ? snapshot.adapter?.path : nil, resets: snapshot.resets,
            connections: snapshot.connections)
    }
}

extension BusError {
    /// Whether bluetoothd has refused what was to be advertised, and not the caller or the moment.
    fileprivate var isRefusedContent: Bool {
        switch self {
        case .refused("org.bluez.Error.Failed", _), .refused("org.bluez.Error.InvalidArguments", _): true
        case .refused, .noOwner, .timedOut, .disconnected, .cancelled, .unreadable: false
        }
    }

    /// The same error, with the reason why there is no way around it.
    fileprivate func with(_ obstacle: AdvertisementError) -> BusError {
        guard case .refused(let name, let message) = self else { return self }
        return .refused(name: name, message: "\(message), and advertising without bluetoothd failed: \(obstacle)")
    }
}

extension String {
    /// The part behind the last slash.
    fileprivate var lastName: String { split(separator: "/").last.map(String.init) ?? self }
}
