import DBus

/// A scan for peripherals: a slow reader gets each one in its latest state, and nothing piles up meanwhile.
actor PeripheralScan {
    private let manager: CentralManager
    private let services: Set<BluetoothUUID>

    /// Goes with the scan, and the discovery with it.
    private let request: DiscoveryRequest

    /// The discoveries that the reader has, by address.
    private var known: [String: Discovery] = [:]

    /// The discoveries that the reader does not have yet: one entry for a peripheral, the next one last.
    private var news: [Discovery] = []
    private var isReady = false

    /// - Parameter services: those that advertise one of these; empty: all.
    init(_ manager: CentralManager, _ services: Set<BluetoothUUID>) {
        self.manager = manager
        self.services = services
        request = manager.discovery.request(DiscoveryFilter(services: services))
    }

    /// The next that is found, changes or is heard no more; nil when the task is cancelled.
    func next() async throws(CentralError) -> Discovery? {
        do throws(CentralError) {
            if !isReady { _ = try await manager.ready() }
            isReady = true
            if news.isEmpty { news = try await changes().reversed() }
        } catch .cancelled {
            return nil
        }
        guard let next = news.popLast() else { return nil }
        known[next.address] = next.isInSight ? next : nil
        return next
    }

    private func changes() async throws(CentralError) -> [Discovery] {
        let (services, known) = (services, known)
        let uuids = Set(services.map(\.full))
        let interest = Interest.devices { device in
            uuids.isEmpty || device["UUIDs"]?.strings?.contains { uuids.contains($0.lowercased()) } ?? false
        }
        let news = try await manager.mirror.wait(until: nil, for: interest) { [manager] view -> [Discovery]? in
            let news = Self.changes(from: known, to: manager.inSight(view, services))
            return news.isEmpty ? nil : news
        }
        return news ?? []
    }

    private static func changes(from before: [String: Discovery], to now: [String: Discovery]) -> [Discovery] {
        let changed = now.values.filter { before[$0.address] != $0 }
        let gone = before.values.filter { now[$0.address] == nil }.map { gone in
            var gone = gone
            (gone.rssi, gone.isConnected, gone.isInSight) = (nil, false, false)
            return gone
        }
        return (changed + gone).sorted { $0.address < $1.address }
    }
}

extension CentralManager {
    /// bluetoothd signals what all programs requested: peripherals without one of the services are left out.
    nonisolated fileprivate func inSight(
        _ view: ObjectMirror.View, _ services: Set<BluetoothUUID>
    ) -> [String: Discovery] {
        guard let adapter = view.workingAdapter(named: adapter) else { return [:] }
        let peripherals = view.peripherals(on: adapter.path).filter { peripheral in
            peripheral.isInSight && (services.isEmpty || !services.isDisjoint(with: peripheral.services))
        }
        return Dictionary(peripherals.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
