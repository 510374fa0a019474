import OkaeriDBus
import Synchronization

/// Carries out the actions of the ``RegistrationMachine``, over a bus.
struct Registration: Sendable {
    private let engine: PeripheralEngine
    private var machine = RegistrationMachine() {
        // Before the event, so that a program that receives it finds the same.
        didSet { engine.setAdvertising(machine.isAdvertising) }
    }
    private var bus: Bus?
    private var application: (objects: GATTApplication, exports: [BusExport])?
    private var advertisement: BusExport?
    /// Set when bluetoothd has ended the advertisement by itself.
    private var released = Flag()
    /// Whether the fallback advertises.
    private var isFallenBack = false
    /// Whether the bus did not let the last call pass.
    private(set) var isRefused = false

    init(engine: PeripheralEngine) {
        self.engine = engine
    }

    /// Whether bluetoothd has ended something by itself.
    var isOutdated: Bool { released.isSet }

    /// Gives bluetoothd what is wanted and it has not yet.
    ///
    /// - Returns: whether there is nothing more to be done, until something changes.
    mutating func fulfil(_ wanted: DesiredState, _ snapshot: RegistrationSnapshot, bus: Bus?) async
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
                isRefused = error.isRefusal
                publish(error, snapshot)
                _ = machine.ended(isDone: false)
                return false
            }
        }
        isRefused = false
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
        await engine.fallback?.stop()
    }

    /// Returns whether it took its time, and the machine needs an event of its end.
    private mutating func perform(
        _ action: RegistrationMachine.Action, _ wanted: DesiredState, on bus: Bus
    ) async throws(BusError) -> Bool {
        switch action {
        case .exportServices(let version): try await export(wanted.services, version: version, on: bus)
        case .registerServices(let version, let adapter):
            // A registration that is new to bluetoothd has no subscribers yet.
            let last = engine.lastSubscription
            let isNew = try await register(
                Interface.gattManager, "RegisterApplication", Self.root(version), adapter, on: bus)
            if isNew { engine.endSubscriptions(upTo: last) }
        case .unregisterServices(let version, let adapter):
            // They are not read on the way out.
            engine.serve(nil)
            _ = try? await call(bus, adapter, Interface.gattManager, "UnregisterApplication", Self.root(version))
        case .exportAdvertisement(let number):
            guard let advertisement = wanted.advertisement else { return true }
            let interface = advertisement.interface { [released, mirror = engine.mirror] in
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
            engine.serve(nil)
            application = nil
        case .withdrawAdvertisement: advertisement = nil
        case .didAddServices(let adapter): engine.publish(.didAddServices(adapter: adapter.lastName))
        case .didStartAdvertising(let adapter): engine.publish(.didStartAdvertising(adapter: adapter.lastName))
        case .exportServices, .registerServices, .unregisterServices, .exportAdvertisement, .registerAdvertisement,
            .unregisterAdvertisement:
            break
        }
    }

    private mutating func export(_ services: [MutableService], version: Int, on bus: Bus) async throws(BusError) {
        let new = GATTApplication(services, at: Self.root(version)) { [weak engine] in engine?.report($0) }
        var exports = [try await bus.export(new.manager, at: new.root)]
        for (path, interface) in new.objects { exports.append(try await bus.export(interface, at: path)) }
        application = (new, exports)
        engine.serve((new, bus))
    }

    private static func root(_ version: Int) -> String { "/okaeri/application\(version)" }

    private static func path(_ number: Int) -> String { "/okaeri/advertisement\(number)" }

    /// Returns whether bluetoothd had not registered the object before.
    @discardableResult
    private func register(
        _ interface: String, _ method: String, _ object: String, _ adapter: String, on bus: Bus
    ) async throws(BusError) -> Bool {
        do throws(BusError) {
            try await call(bus, adapter, interface, method, object, .properties([:]))
            return true
        } catch {
            guard case .refused("org.bluez.Error.AlreadyExists", _) = error else { throw error }
            return false
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
            guard error.isRefusedContent, let advertisement, let fallback = engine.fallback else { throw error }
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
        // The end of bluetoothd is noticed elsewhere, and the state shows the refusal of the bus.
        case .noOwner, .disconnected, .cancelled: break
        case .refused where error.isRefusal: break
        case .refused("org.bluez.Error.NotPermitted", _):
            engine.publish(.didFail(reason: "\(adapter) advertises as much as it can already, for other programs"))
        case .refused, .timedOut, .unreadable:
            engine.publish(.didFail(reason: "bluetoothd does not take it on \(adapter): \(error)"))
        }
    }
}

extension RegistrationMachine.Situation {
    fileprivate init(_ wanted: DesiredState, _ snapshot: RegistrationSnapshot) {
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
