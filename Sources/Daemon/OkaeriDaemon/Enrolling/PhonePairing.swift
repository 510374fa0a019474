package import BlueZ
import HCI
package import OkaeriBluetooth
import OkaeriConfiguration
import OkaeriPlumbing

/// The pairing with one phone, over bluetoothd and the kernel: this machine is a peripheral, and the phone pairs with it.
package struct PhonePairing: Sendable {
    /// Receives each state of the pairing, the first one included.
    package typealias Observer = @Sendable (EnrollmentMachine.State) async -> Void

    /// Starts to receive the keys of an adapter.
    package typealias KeySource = @Sendable (_ adapter: UInt16) throws(KernelError) -> KeyWatch

    /// The device that this machine resembles.
    private let profile: EnrollmentProfile
    /// The time limit of the pairing.
    private let timeout: Duration
    /// Whether the bond is removed on this machine after the pairing.
    private let forgets: Bool
    private let bus: String?
    private let watch: KeySource

    /// - Parameters:
    ///   - profile: The device that this machine resembles.
    ///   - timeout: The time limit of the pairing.
    ///   - forgets: Whether the bond is removed on this machine after the pairing.
    ///   - bus: The D-Bus address of bluetoothd's bus; `nil`: the system's.
    ///   - watch: Starts to receive the keys of an adapter.
    package init(
        as profile: EnrollmentProfile, timeout: Duration, forgets: Bool = false, bus: String? = nil,
        watch: @escaping KeySource = { index throws(KernelError) in try KeyWatch(adapter: index) }
    ) {
        (self.profile, self.timeout, self.forgets) = (profile, timeout, forgets)
        (self.bus, self.watch) = (bus, watch)
    }

    /// The name that phones show: "Okaeri" and the name of this machine.
    package static var advertisedName: String { Advertisement.localName(fitting: "Okaeri \(NodeName.local)") }

    /// Throws if this process may not receive keys: then a pairing would be in vain.
    package static func checkRight() throws(KernelError) { _ = try ManagementSocket() }

    /// Pairs, and returns the identity of the phone. Adapter, advertising and, unless it succeeds, bonds are as before then.
    ///
    /// - Parameters:
    ///   - central: The connection to bluetoothd, on the same bus.
    ///   - capability: The means of comparing numbers.
    ///   - confirm: Decides whether a device may pair.
    ///   - changed: Receives each state.
    /// - Throws: An `EnrollmentMachine.Failure`, a `KernelError`, a `CentralError`, or a `CancellationError`.
    package func run(
        _ central: CentralManager, as capability: PairingCapability, confirm: @escaping PairingSession.Confirmation,
        changed: @escaping Observer
    ) async throws -> EnrollmentMachine.Phone {
        try await central.acceptPairing(as: capability, confirm: confirm) { session in
            guard let index = UInt16(adapter: session.adapter) else {
                throw EnrollmentMachine.Failure.obstacle("the kernel has no adapter \(session.adapter)")
            }
            let watch = try watch(index)
            defer { watch.stop() }
            let phone = try await withPeripheralManager(
                adapter: session.adapter, bus: bus, fallback: KernelAdvertising()
            ) { manager in
                for service in profile.services { try manager.add(service) }
                try manager.startAdvertising(profile.advertisement(named: Self.advertisedName))
                return try await follow(session, manager, watch, changed)
            }
            await session.end(phone.device.identifier, forgets: forgets)
            return phone
        }
    }

    /// Runs the machine by the events of bluetoothd and the kernel.
    private func follow(
        _ session: PairingSession, _ manager: PeripheralManager, _ watch: KeyWatch, _ changed: @escaping Observer
    ) async throws -> EnrollmentMachine.Phone {
        let (events, news) = AsyncStream.makeStream(
            of: EnrollmentMachine.Event.self, bufferingPolicy: .bufferingNewest(256))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in manager.events { if let event = event.enrollment { news.yield(event) } }
            }
            group.addTask { for await devices in session.devices() { news.yield(.devices(devices)) } }
            group.addTask { for await identity in watch.identities { news.yield(.key(identity)) } }
            group.addTask { while (try? await Task.sleep(for: .milliseconds(250))) != nil { news.yield(.tick) } }
            defer { group.cancelAll() }
            var machine = EnrollmentMachine(timeout: timeout, at: .now)
            await changed(machine.state)
            for await event in events {
                let before = machine.state
                for action in machine.handle(event, at: .now) {
                    switch action {
                    case .pair(let device): session.pair(device)
                    }
                }
                if machine.state != before { await changed(machine.state) }
                switch machine.state {
                case .done(let phone): return phone
                case .failed(let failure): throw failure
                case .preparing, .advertising, .pairing, .settling: break
                }
            }
            throw CancellationError()
        }
    }
}

extension PeripheralManager.Event {
    /// The event of the pairing; `nil`: it is of no interest to it.
    fileprivate var enrollment: EnrollmentMachine.Event? {
        switch self {
        case .didStartAdvertising: .didStartAdvertising
        case .didUpdateState(.poweredOn, _), .didUpdateState(.unknown, _), .didAddServices, .didRefuse, .didSubscribe,
            .didUnsubscribe, .didFailToUpdateSubscribers, .isReadyToUpdateSubscribers:
            nil
        case .didUpdateState(_, let reason), .didFail(let reason): .obstacle(reason)
        }
    }
}
