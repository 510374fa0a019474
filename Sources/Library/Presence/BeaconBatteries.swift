import HCI
public import IBeacon
import OkaeriPlumbing
public import RegionMonitoring
import Synchronization

/// The origin of a battery level.
public enum BatterySource: String, Hashable, Sendable {
    /// An advertisement of the beacon.
    case advertised
    /// The Battery Service of the beacon, read by a connection.
    case gatt
}

/// A beacon's battery level.
public struct BeaconBattery: Hashable, Sendable {
    public var identity: BeaconIdentity
    /// 0 to 100.
    public var percent: UInt8
    public var source: BatterySource
    /// The time of its reception.
    public var received: Instant

    package init(identity: BeaconIdentity, percent: UInt8, source: BatterySource, received: Instant) {
        (self.identity, self.percent, self.source, self.received) = (identity, percent, source, received)
    }
}

/// The battery levels of the regions' beacons.
///
/// An iBeacon frame has no room for a level. Beacons advertise it in another frame from the same address, so the addresses of
/// the beacons are stored for a while. The address is not an identity: it may rotate, and any device can use it.
public struct BeaconBatteries: Sendable {
    /// The sender of an iBeacon frame.
    private struct Sender {
        var identity: BeaconIdentity
        var heard: Instant
        /// The last time at which it offered connections.
        var connectable: Instant?
    }

    /// The time for which an address belongs to a beacon after its last iBeacon frame. The frames of a beacon take turns within
    /// seconds.
    static let senderMemory = Duration.seconds(60)

    /// The maximum number of levels: any device can invent beacons of a region. The one that was received first makes room.
    static let capacity = 64

    /// The address in each place; 0 in an empty one. The bits of an address determine its place, so a look-up costs one
    /// comparison however many addresses are invented. Of two addresses with the same place the later one is stored.
    @usableFromInline private(set) var addresses = [UInt64](repeating: 0, count: 1 << placeBits)
    private var senders = [Sender?](repeating: nil, count: 1 << placeBits)

    /// The levels, in no order.
    package private(set) var levels: [BeaconBattery] = []

    /// The time between two readings of a beacon by a connection, successful or not.
    static let readingInterval = Duration.seconds(86_400)

    /// The times of the readings in the last day, ``capacity`` at most: a device that invents beacons of a region causes no more
    /// connections.
    package private(set) var readings: [BeaconIdentity: Instant] = [:]

    @usableFromInline static var placeBits: Int { 6 }

    public init() {}

    @inlinable @inline(__always) static func place(of address: UInt64) -> Int {
        Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - placeBits))
    }

    /// Whether a beacon of a region may have sent from this address lately. Called for each report that is not an iBeacon.
    @inlinable @inline(__always) func isSender(_ address: UInt64) -> Bool {
        addresses[Self.place(of: address)] == address
    }

    /// Stores the address of a beacon of a region.
    @usableFromInline mutating func beaconHeard(
        _ identity: BeaconIdentity, from address: UInt64, isConnectable: Bool, at now: Instant
    ) {
        // An anonymous advertiser has none.
        guard address != 0 else { return }
        let place = Self.place(of: address)
        let isKnown = addresses[place] == address && senders[place]?.identity == identity
        let connectable = isConnectable ? now : isKnown ? senders[place]?.connectable : nil
        addresses[place] = address
        senders[place] = Sender(identity: identity, heard: now, connectable: connectable)
    }

    /// Handles that a stored address offers connections: a beacon may do so in another frame than its iBeacon frame.
    mutating func connectionOffered(by address: UInt64, at now: Instant) {
        senders[Self.place(of: address)]?.connectable = now
    }

    /// Returns the address of a beacon that was received and offered connections lately.
    func connectableAddress(of identity: BeaconIdentity, _ now: Instant) -> UInt64? {
        addresses.indices.first { place in
            guard let sender = senders[place], sender.identity == identity, let connectable = sender.connectable else {
                return false
            }
            return max(sender.heard.duration(to: now), connectable.duration(to: now)) <= Self.senderMemory
        }.map { addresses[$0] }
    }

    /// Whether a beacon sent no level for a day, and no reading was begun for as long.
    func isDue(_ identity: BeaconIdentity, _ now: Instant) -> Bool {
        guard readings.count < Self.capacity || readings[identity] != nil else { return false }
        let times = [readings[identity], levels.first { $0.identity == identity }?.received]
        return times.allSatisfy { $0.map { $0.duration(to: now) >= Self.readingInterval } ?? true }
    }

    /// Stores that a reading begins, so that a failure is not repeated before a day has passed.
    package mutating func readingBegan(_ identity: BeaconIdentity, at time: Instant) {
        if readings.count < Self.capacity || readings[identity] != nil { readings[identity] = time }
    }

    /// Returns the beacon that sent from this address lately.
    func beacon(at address: UInt64, _ now: Instant) -> BeaconIdentity? {
        guard isSender(address), let sender = senders[Self.place(of: address)],
            sender.heard.duration(to: now) <= Self.senderMemory
        else { return nil }
        return sender.identity
    }

    /// Stores a level in the place of the beacon's former one.
    package mutating func levelReceived(_ level: BeaconBattery) {
        if let index = levels.firstIndex(where: { $0.identity == level.identity }) {
            levels[index] = level
            return
        }
        let oldest = levels.indices.min { levels[$0].received < levels[$1].received }
        if levels.count >= Self.capacity, let oldest { levels.remove(at: oldest) }
        levels.append(level)
    }

    /// Stores the levels that another radio received, unless later ones are known.
    mutating func levelsReceived(_ new: some Sequence<BeaconBattery>) {
        for level in new where levels.allSatisfy({ $0.identity != level.identity || $0.received < level.received }) {
            levelReceived(level)
        }
    }

    /// Replaces each identity by the one that stands for it, as the regions may have other masks. The latest level and reading stay.
    mutating func normalize(_ normal: (BeaconIdentity) -> BeaconIdentity) {
        let all = levels.sorted { $0.received < $1.received }
        levels = []
        for var level in all {
            level.identity = normal(level.identity)
            levelReceived(level)
        }
        readings = Dictionary(readings.map { (normal($0.key), $0.value) }, uniquingKeysWith: max)
        for place in senders.indices {
            if let identity = senders[place]?.identity { senders[place]?.identity = normal(identity) }
        }
    }

    /// Drops the levels and readings that are too old.
    mutating func expire(at now: Instant) {
        readings = readings.filter { $0.value.duration(to: now) < Self.readingInterval }
        levels.removeAll { $0.received.duration(to: now) > MonitoredRegion.batteryRetention }
    }
}

extension PresencePipeline {
    /// Handles a report that is not an iBeacon, from the address of a beacon.
    @usableFromInline mutating func advertisementReceived(
        _ data: RawSpan, from address: UInt64, isConnectable: Bool, at now: Instant
    ) {
        if isConnectable { batteries.connectionOffered(by: address, at: now) }
        guard let percent = AdvertisedBattery.percent(advertisingData: data),
            let identity = batteries.beacon(at: address, now),
            tap != nil || !monitor.regionsWithBattery(of: identity).isEmpty
        else { return }
        batteries.levelReceived(
            BeaconBattery(identity: identity, percent: percent, source: .advertised, received: now))
    }
}

extension PresenceDriver.State {
    /// Returns the lowest battery level of each region's beacons, in the order of the regions.
    mutating func batteries(at now: Instant) -> [BeaconBattery?] {
        pipeline.batteries.expire(at: now)
        var lowest = [BeaconBattery?](repeating: nil, count: regions.count)
        for level in pipeline.batteries.levels {
            for index in pipeline.monitor.regionsWithBattery(of: level.identity)
            where lowest[index].map({ level.percent < $0.percent }) ?? true {
                lowest[index] = level
            }
        }
        return lowest
    }
}

extension PresenceDriver {
    /// The weakest filtered signal, in dBm, with which a beacon is connected.
    static let weakestSignal = -80.0

    /// Returns a beacon whose battery level is to be read by a connection now, and stores that the reading begins.
    ///
    /// It is the beacon that keeps a region inside, with a good signal, from an address that offers connections.
    package func batteryReadingBegan(at now: Instant) -> BatteryBeacon? {
        state.withLock { state in
            guard state.regions.contains(where: { $0.battery == .gatt }) else { return nil }
            state.pipeline.batteries.expire(at: now)
            for region in state.pipeline.monitor.regionSnapshots where region.region.battery == .gatt {
                guard region.state == .inside, let beacon = region.beacon,
                    beacon.signal ?? -.infinity >= Self.weakestSignal,
                    state.pipeline.batteries.isDue(beacon.identity, now),
                    let number = state.pipeline.batteries.connectableAddress(of: beacon.identity, now),
                    let address = BluetoothAddress(rawValue: number)
                else { continue }
                state.pipeline.batteries.readingBegan(beacon.identity, at: now)
                return BatteryBeacon(
                    identity: beacon.identity, region: region.region.identifier, address: address.description)
            }
            return nil
        }
    }

    /// Stores a level that was read by a connection.
    package func batteryRead(_ identity: BeaconIdentity, percent: UInt8, at now: Instant) {
        state.withLock {
            $0.pipeline.batteries.levelReceived(
                BeaconBattery(identity: identity, percent: percent, source: .gatt, received: now))
        }
    }
}
