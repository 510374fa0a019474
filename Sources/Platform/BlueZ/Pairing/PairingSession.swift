import OkaeriDBus
import OkaeriPlumbing
import Synchronization

/// The time in which devices may pair with an adapter; see ``CentralManager/acceptPairing(as:confirm:_:)``.
public final class PairingSession: Sendable {
    /// Decides whether a device may pair. It must return when its task is cancelled: then the device has gone.
    public typealias Confirmation = @Sendable (PairingRequest) async -> Bool

    private struct State {
        var agent: BusExport?
        var wasPairable = true
        var isAgentRegistered = false
        /// The objects of the devices that have asked to pair, or were asked.
        var involved: Set<String> = []
    }

    /// The time limit of a pairing: that of bluetoothd's requests to an agent.
    private static let pairingTimeout = Duration.seconds(60)
    /// Further devices are rejected.
    private static let limit = 64

    /// The adapter, such as `hci0`.
    public let adapter: String

    private let path: String
    private let mirror: ObjectMirror
    private let confirm: Confirmation
    private let state = Mutex(State())
    /// The objects of the devices that had paired before.
    private let pairedBefore: Set<String>

    init(_ adapter: ObjectMirror.View.Adapter, mirror: ObjectMirror, confirm: @escaping Confirmation) {
        (self.adapter, path) = (adapter.name, adapter.path)
        self.mirror = mirror
        self.confirm = confirm
        pairedBefore = Set(Self.devices(mirror.view, on: adapter.path).filter(\.isPaired).map(\.identifier))
    }

    /// The devices that are connected or paired, now and after each change, until the task is cancelled.
    public func devices() -> AsyncStream<[PairingDevice]> {
        let last = Mutex<[PairingDevice]?>(nil)
        let interest = Interest.devices { Discovery.isConnected($0) || $0["Paired"]?.boolean == true }
        return AsyncStream { [self] in
            let before = last.withLock(\.self)
            let next = try? await mirror.wait(until: nil, for: interest) { [path] view -> [PairingDevice]? in
                let devices = Self.devices(view, on: path)
                return devices == before ? nil : devices
            }
            last.withLock { $0 = next ?? before }
            return next
        }
    }

    private static func devices(_ view: ObjectMirror.View, on adapter: String) -> [PairingDevice] {
        view.tree.paths(with: Interface.device, below: adapter).compactMap { path in
            view.tree[path, Interface.device].flatMap { PairingDevice(path, $0) }
        }.filter { $0.isConnected || $0.isPaired }
    }

    /// Asks a connected device to pair, without waiting for the result (`org.bluez.Device1`, Pair).
    public func pair(_ device: String) {
        guard involve(device) else { return }
        Task { [mirror] in
            _ = try? await mirror.call(device, Interface.device, "Pair", within: Self.pairingTimeout)
        }
    }

    /// Ends the connection to a device that has paired.
    ///
    /// - Parameters:
    ///   - device: Its path at bluetoothd.
    ///   - forgets: Whether the bond is removed on this machine (`org.bluez.Adapter1`, RemoveDevice).
    public func end(_ device: String, forgets: Bool) async {
        let work = Task { [self] in
            _ = try? await mirror.call(device, Interface.device, "Disconnect")
            if forgets { await remove(device) }
        }
        await work.value
    }

    private func remove(_ device: String) async {
        _ = try? await mirror.call(path, Interface.adapter, "RemoveDevice", [.objectPath(device)])
    }
}

// MARK: Beginning and end

extension PairingSession {
    func begin(_ capability: PairingCapability) async throws(CentralError) {
        do throws(BusError) {
            guard let bus = mirror.view.bus else { throw .disconnected("it was lost a moment ago") }
            // Before the agent is there: bluetoothd makes the adapter pairable for an agent.
            let wasPairable = mirror.view.tree[path, Interface.adapter]?["Pairable"]?.boolean ?? true
            state.withLock { $0.wasPairable = wasPairable }
            let agent = PairingAgent { [weak self] device, number in await self?.decide(device, number) ?? false }
            let export = try await bus.export(agent.interface, at: PairingAgent.path)
            state.withLock { $0.agent = export }
            _ = try await callAgentManager("RegisterAgent", .string(capability.rawValue))
            state.withLock { $0.isAgentRegistered = true }
            _ = try await callAgentManager("RequestDefaultAgent")
            if !wasPairable { try await setPairable(true) }
        } catch {
            throw CentralError(error, what: "the preparation of a pairing", limit: ObjectMirror.replyTimeout)
        }
    }

    /// Makes the adapter as it was.
    ///
    /// - Parameter removesBonds: Whether the bonds are removed that were made meanwhile.
    func restore(removesBonds: Bool) async {
        // A task of its own: this one may be cancelled, and would call nothing any more.
        let work = Task { [self] in
            let (wasPairable, isRegistered, involved) = state.withLock {
                ($0.wasPairable, $0.isAgentRegistered, $0.involved)
            }
            if removesBonds { for device in involved.subtracting(pairedBefore) { await remove(device) } }
            // The agent first: bluetoothd may make the adapter pairable for the next one.
            if isRegistered { _ = try? await callAgentManager("UnregisterAgent") }
            if !wasPairable { try? await setPairable(false) }
            state.withLock { $0.agent = nil }
        }
        await work.value
    }

    private func setPairable(_ isPairable: Bool) async throws(BusError) {
        _ = try await mirror.call(
            path, Interface.properties, "Set",
            [.string(Interface.adapter), .string("Pairable"), .variant(.boolean(isPairable))])
    }

    private func callAgentManager(_ method: String, _ more: DBusValue...) async throws(BusError) -> [DBusValue] {
        try await mirror.call("/org/bluez", Interface.agentManager, method, [.objectPath(PairingAgent.path)] + more)
    }
}

// MARK: Requests

extension PairingSession {
    /// Returns whether a device can still take part.
    private func involve(_ device: String) -> Bool {
        guard device.hasPrefix(path + "/") else { return false }
        return state.withLock { state in
            if state.involved.count >= Self.limit { return state.involved.contains(device) }
            state.involved.insert(device)
            return true
        }
    }

    private func decide(_ path: String, _ number: UInt32?) async -> Bool {
        guard involve(path) else { return false }
        let known = mirror.view.tree[path, Interface.device].flatMap { PairingDevice(path, $0) }
        let request = PairingRequest(
            device: known ?? PairingDevice(identifier: path, address: "an unknown address"),
            digits: number.map { number in
                let digits = String(number % 1_000_000)
                return String(repeating: "0", count: 6 - digits.count) + digits
            })
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { [confirm] in await confirm(request) }
            group.addTask { [self] in
                await waitUntilGone(path)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Waits until a device has disconnected, at most as long as bluetoothd waits for the decision.
    private func waitUntilGone(_ device: String) async {
        var wasConnected = false
        _ = try? await mirror.wait(until: .now + Self.pairingTimeout, for: .object(device)) { view -> Bool? in
            let isConnected = view.isConnected(device)
            defer { wasConnected = wasConnected || isConnected }
            return wasConnected && !isConnected ? true : nil
        }
    }
}

extension CentralManager {
    /// Lets devices pair with the adapter for as long as `body` takes: registers an agent, and makes the adapter pairable.
    /// Afterwards the adapter is as it was. If `body` throws, or the task is cancelled, the new bonds are removed as well.
    ///
    /// - Throws: The error of `body`, or a ``CentralError``.
    public func acceptPairing<Value: Sendable>(
        as capability: PairingCapability, confirm: @escaping PairingSession.Confirmation,
        _ body: (PairingSession) async throws -> Value
    ) async throws -> Value {
        let session = PairingSession(try await ready(), mirror: mirror, confirm: confirm)
        do {
            try await session.begin(capability)
            let value = try await body(session)
            await session.restore(removesBonds: false)
            return value
        } catch {
            await session.restore(removesBonds: true)
            throw error
        }
    }
}

/// A device that is connected or paired (`org.bluez.Device1`).
public struct PairingDevice: Sendable, Hashable {
    /// bluetoothd's object of it. It stays the same when the identity address becomes known.
    public let identifier: String

    /// The address `AA:BB:CC:DD:EE:FF`: after the pairing the identity address.
    public var address: String

    /// The name, without control characters.
    public var name: String?

    /// Whether the address is a resolvable private one, as those of phones are until they have paired.
    public var isResolvable: Bool

    /// Whether there is a connection.
    public var isConnected: Bool

    /// Whether it has paired with this machine.
    public var isPaired: Bool

    /// A device; bluetoothd's are in ``PairingSession/devices()``.
    public init(
        identifier: String, address: String, name: String? = nil, isResolvable: Bool = false, isConnected: Bool = false,
        isPaired: Bool = false
    ) {
        self.identifier = identifier
        self.address = address
        self.name = name
        self.isResolvable = isResolvable
        self.isConnected = isConnected
        self.isPaired = isPaired
    }
}

extension PairingDevice {
    init?(_ path: String, _ device: ObjectTree.Properties) {
        guard let address = device["Address"]?.string?.uppercased() else { return nil }
        // Its two highest bits are 01 (Core Specification, Vol 6, Part B, 1.3.2.2).
        let isPrivate = UInt8(address.prefix(2), radix: 16).map { $0 >> 6 == 0b01 } ?? false
        self.init(
            identifier: path, address: address, name: device["Name"]?.string?.plain(replacesFormat: true),
            isResolvable: isPrivate && device["AddressType"]?.string == "random",
            isConnected: Discovery.isConnected(device), isPaired: device["Paired"]?.boolean == true)
    }
}

/// A device's request to pair.
public struct PairingRequest: Sendable, Hashable {
    /// The device.
    public var device: PairingDevice

    /// The number that both sides show, six digits; `nil`: the device cannot show one.
    public var digits: String?
}

/// The means of this machine for comparing numbers (Core Specification, Vol 3, Part H, 2.3.2).
public enum PairingCapability: String, Sendable, Hashable {
    /// A person sees six digits, and confirms or rejects them.
    case displayYesNo = "DisplayYesNo"
    /// No person takes part.
    case noInputNoOutput = "NoInputNoOutput"
}

/// The object that bluetoothd calls while a device pairs (`org.bluez.Agent1`). Only root may call it, by the policy of the bus.
struct PairingAgent: Sendable {
    static let path = "/okaeri/agent"

    /// Decides on a request, by the object of the device and the number to compare, if there is one.
    let decide: @Sendable (_ device: String, _ number: UInt32?) async -> Bool

    var interface: BusInterface {
        BusInterface(
            Interface.agent,
            methods: [
                .init("Release") { _ in .success([]) },
                .init("Cancel") { _ in .success([]) },
                .init("RequestConfirmation", takes: ["o", "u"]) { call in await answer(call) },
                .init("RequestAuthorization", takes: ["o"]) { call in await answer(call) },
                // Of other means of pairing, which a capability without a keyboard excludes, and of BR/EDR's profiles.
                .init("RequestPinCode", takes: ["o"], returns: ["s"]) { _ in Self.rejected },
                .init("RequestPasskey", takes: ["o"], returns: ["u"]) { _ in Self.rejected },
                .init("DisplayPinCode", takes: ["o", "s"]) { _ in Self.rejected },
                .init("DisplayPasskey", takes: ["o", "u", "q"]) { _ in Self.rejected },
                .init("AuthorizeService", takes: ["o", "s"]) { _ in Self.rejected },
            ])
    }

    private static let rejected = Result<[DBusValue], BusInterface.Refusal>.failure(
        .init("org.bluez.Error.Rejected", "it was rejected"))

    private func answer(_ call: BusInterface.Call) async -> Result<[DBusValue], BusInterface.Refusal> {
        guard let device = call.arguments.first?.string else { return Self.rejected }
        let number = call.arguments.dropFirst().first?.integer.flatMap { UInt32(exactly: $0) }
        return await decide(device, number) ? .success([]) : Self.rejected
    }
}
