import BlueZ
package import IBeacon
package import Logging
import OkaeriPlumbing
package import RegionMonitoring
import ServiceLifecycle

/// Reads the battery levels of beacons by a connection over bluetoothd, one beacon after another.
///
/// Without a beacon to read, nothing is asked of bluetoothd, and no bus is opened.
package struct BatteryReading: ServiceLifecycle.Service {
    /// The time limit of a connection, with the search for the beacon.
    private static let connectionLimit = Duration.seconds(30)

    private let interval: Duration
    private let bus: String?
    private let adapter: @Sendable () -> String?
    private let next: @Sendable () -> BatteryBeacon?
    private let read: @Sendable (BeaconIdentity, UInt8) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - interval: The time between two looks for a beacon.
    ///   - bus: the bus that bluetoothd is on; nil: the system's.
    ///   - adapter: Returns the adapter, such as `hci0`; `nil` for the first that has power.
    ///   - next: Returns a beacon to read now, and none that was read, or could not be read, in the last day.
    ///   - read: Receives a level in percent.
    package init(
        interval: Duration = .seconds(60), bus: String? = nil, adapter: @escaping @Sendable () -> String?,
        next: @escaping @Sendable () -> BatteryBeacon?, read: @escaping @Sendable (BeaconIdentity, UInt8) -> Void,
        logger: Logger
    ) {
        (self.interval, self.bus, self.adapter) = (interval, bus, adapter)
        (self.next, self.read, self.logger) = (next, read, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while await interval.elapsed() {
                guard let beacon = next() else { continue }
                await look(at: beacon)
            }
        }
    }

    private func look(at beacon: BatteryBeacon) async {
        do {
            let percent = try await withCentralManager(adapter: adapter(), bus: bus) { central in
                try await Self.percent(of: beacon.address, by: central)
            }
            read(beacon.identity, percent)
        } catch CentralError.cancelled {
        } catch {
            logger.notice(
                "the battery level of the beacon of \"\(beacon.region)\" was not read: \(error); the next attempt is in a day"
            )
        }
    }

    /// Leaves the connection of another program.
    private static func percent(of address: String, by central: CentralManager) async throws -> UInt8 {
        let wasConnected = try await central.knownPeripherals().contains { $0.address == address && $0.isConnected }
        let result: Result<UInt8, any Error>
        do {
            let peripheral = try await central.connect(address, within: connectionLimit)
            let level = try peripheral.characteristic(BluetoothUUID(0x2A19), in: BluetoothUUID(0x180F), instance: 1)
            let value = try await peripheral.readValue(for: level)
            guard value.count == 1, let percent = value.first, percent <= 100 else {
                throw CentralError.unexpected(what: "the battery level of \(address)", reason: "it is not a percentage")
            }
            result = .success(percent)
        } catch {
            result = .failure(error)
        }
        if !wasConnected {
            // A task of its own: this one may be cancelled, and the beacon would stay connected.
            await Task { try? await central.cancelPeripheralConnection(address) }.value
        }
        return try result.get()
    }
}
