package import BlueZ
package import HCI

/// The pairing with a phone, from the advertisement to its key: events go in, actions come out.
package struct EnrollmentMachine: Sendable {
    package enum State: Equatable, Sendable {
        /// Services and advertisement are being registered. → `advertising` by `didStartAdvertising`.
        case preparing
        /// No phone is connected. → `pairing` when one connects.
        case advertising
        /// A phone is connected that has not paired. → `advertising` when it disconnects; `settling` by its key and its bond.
        case pairing(device: String)
        /// The phone has paired, and reads the services. → `done` after ``settlingTime``, or when it disconnects.
        case settling(Phone)
        /// The end.
        case done(Phone)
        /// The end. It comes from each state before `settling`.
        case failed(Failure)
    }

    /// A phone that has paired.
    package struct Phone: Equatable, Sendable {
        package var device: PairingDevice
        package var identity: DeviceIdentity

        package init(device: PairingDevice, identity: DeviceIdentity) {
            (self.device, self.identity) = (device, identity)
        }
    }

    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The time was up; `wasConnected`: a phone was there.
        case timedOut(wasConnected: Bool)
        /// The phone has paired, and sent no key.
        case noKey
        /// Bluetooth cannot be used; the reason is a sentence.
        case obstacle(String)

        /// The failure without the identity address of a phone, and the remedy that page and command share.
        package var description: String {
            switch self {
            case .timedOut(wasConnected: false): "no phone has connected in time"
            case .timedOut(wasConnected: true):
                "the phone was connected and has not paired; if it has paired with this machine before, remove that first, on the "
                    + "phone and with `bluetoothctl remove ADDRESS` (Android makes a new key when its last bond is removed)"
            case .noKey: "the phone has paired, but sent no identity resolving key; it cannot be enrolled"
            case .obstacle(let reason): reason
            }
        }
    }

    package enum Event: Equatable, Sendable {
        case didStartAdvertising
        /// The devices that are connected or paired.
        case devices([PairingDevice])
        /// A key that the kernel has received.
        case key(DeviceIdentity)
        case obstacle(String)
        /// Time has passed.
        case tick
    }

    package enum Action: Equatable, Sendable {
        /// Ask the device to pair.
        case pair(device: String)
    }

    /// An iPhone discovers the services after it has paired, and discards a bond if it is disconnected before.
    package static let settlingTime = Duration.seconds(5)
    /// A phone that reads something encrypted pairs by itself. Others are asked, twice.
    package static let requests: [Duration] = [.seconds(2), .seconds(6)]
    /// The time between a bond and its key.
    package static let keyTimeout = Duration.seconds(10)
    /// The maximum number of keys that are kept.
    private static let keyLimit = 16

    package private(set) var state = State.preparing

    private let deadline: ContinuousClock.Instant
    private var devices: [PairingDevice] = []
    /// The devices that had paired before, or `nil` before the first list.
    private var pairedBefore: Set<String>?
    /// The devices that were connected before.
    private var connectedBefore: Set<String> = []
    private var keys: [DeviceIdentity] = []
    /// The time of entering the state.
    private var entered: ContinuousClock.Instant
    private var requestCount = 0
    private var wasConnected = false

    /// - Parameter timeout: The time for a phone to pair.
    package init(timeout: Duration, at now: ContinuousClock.Instant) {
        deadline = now + timeout
        entered = now
    }

    package mutating func handle(_ event: Event, at now: ContinuousClock.Instant) -> [Action] {
        if isOver { return [] }
        switch event {
        case .didStartAdvertising: if state == .preparing { enter(.advertising, now) }
        case .devices(let devices):
            self.devices = devices
            let connected = devices.filter(\.isConnected).map(\.identifier)
            if pairedBefore == nil {
                pairedBefore = Set(devices.filter(\.isPaired).map(\.identifier))
                connectedBefore = Set(connected)
            }
            // A phone whose bond is still there connects, and does not pair again.
            if connected.contains(where: { !isNew($0) && !connectedBefore.contains($0) }) { wasConnected = true }
        case .key(let identity): keys = (keys + [identity]).suffix(Self.keyLimit)
        case .obstacle(let reason):
            if case .settling = state { break }
            enter(.failed(.obstacle(reason)), now)
        case .tick: break
        }
        return proceed(now)
    }

    private var isOver: Bool {
        switch state {
        case .done, .failed: true
        case .preparing, .advertising, .pairing, .settling: false
        }
    }

    private mutating func proceed(_ now: ContinuousClock.Instant) -> [Action] {
        switch state {
        case .done, .failed: break
        case .settling(let phone):
            let isConnected = devices.contains { $0.identifier == phone.device.identifier && $0.isConnected }
            if !isConnected || now >= entered + Self.settlingTime { enter(.done(phone), now) }
        case .preparing, .advertising, .pairing:
            if let phone = pairedPhone {
                enter(.settling(phone), now)
            } else if now >= deadline {
                enter(.failed(.timedOut(wasConnected: wasConnected)), now)
            } else {
                return look(now)
            }
        }
        return []
    }

    /// The device that has paired and whose key has come, in whichever order.
    private var pairedPhone: Phone? {
        for device in devices where device.isPaired {
            let identity = keys.last { $0.address.map { "\($0)" } == device.address }
            if let identity { return Phone(device: device, identity: identity) }
        }
        return nil
    }

    /// The phone that connects, or the connected one.
    private mutating func look(_ now: ContinuousClock.Instant) -> [Action] {
        guard case .pairing(let identifier) = state else {
            let candidate = devices.first { isNew($0.identifier) && $0.isConnected && ($0.isResolvable || $0.isPaired) }
            guard state == .advertising, let candidate else { return [] }
            (wasConnected, requestCount) = (true, 0)
            enter(.pairing(device: candidate.identifier), now)
            return []
        }
        guard let device = devices.first(where: { $0.identifier == identifier }), device.isConnected || device.isPaired
        else {
            enter(.advertising, now)
            return []
        }
        if device.isPaired {
            if now >= entered + Self.keyTimeout { enter(.failed(.noKey), now) }
            return []
        }
        guard requestCount < Self.requests.count, now >= entered + Self.requests[requestCount] else { return [] }
        requestCount += 1
        return [.pair(device: identifier)]
    }

    private func isNew(_ device: String) -> Bool { pairedBefore?.contains(device) == false }

    private mutating func enter(_ state: State, _ now: ContinuousClock.Instant) {
        (self.state, entered) = (state, now)
    }
}
