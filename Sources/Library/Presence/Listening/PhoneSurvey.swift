package import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
package import RegionMonitoring
import Synchronization

/// Lists the phones in range, and other devices with resolvable private addresses.
package final class PhoneSurvey: ScannerDelegate {
    /// The maker of a device, as far as it advertises it.
    package enum Maker: String, Sendable, CaseIterable {
        case apple = "Apple"
        /// A device with a service of Google's, as Android has them.
        case google = "Google"
        case other = ""
    }

    /// One address in range.
    package struct Device: Sendable, Equatable {
        package var address: BluetoothAddress
        package var maker: Maker
        /// The key file of the phone that it is, if its address was resolved.
        package var file: String?
        package var rssi: Int8?
        /// The number of received advertisements.
        package var count: Int
        package var firstHeard, lastHeard: Instant

        /// The least one makes room first.
        fileprivate var rank: (Int, Instant) { (file == nil ? 0 : 1, lastHeard) }

        /// The mean time between two advertisements in seconds; `nil` after a single one.
        package var interval: Double? {
            count > 1 ? firstHeard.duration(to: lastHeard) / .seconds(1) / Double(count - 1) : nil
        }
    }

    private struct State: Sendable {
        var devices: [BluetoothAddress: Device] = [:]
        var resolver: AddressResolver
    }

    /// The maximum number of addresses. The one that was received longest ago makes room, those of known phones last.
    private static let limit = 512
    /// Reports this close are one advertisement, sent on three channels.
    private static let shortestGap = Duration.seconds(1) / 64

    private let state: Mutex<State>
    private let files: [String]
    private let updated: @Sendable (AdapterUpdate) -> Void

    /// - Parameter identities: The known phones, by their key files.
    package init(_ identities: [String: DeviceIdentity], updated: @escaping @Sendable (AdapterUpdate) -> Void) {
        files = identities.keys.sorted()
        state = Mutex(State(resolver: AddressResolver(files.map { identities[$0] })))
        self.updated = updated
    }

    /// The devices that were received since an instant: those of known phones first, then by signal.
    package func devices(since instant: Instant) -> [Device] {
        state.withLock { Array($0.devices.values) }.filter { $0.lastHeard >= instant }.sorted { left, right in
            (left.file == nil ? 1 : 0, -Int(left.rssi ?? -128), left.address.rawValue)
                < (right.file == nil ? 1 : 0, -Int(right.rssi ?? -128), right.address.rawValue)
        }
    }

    /// The key files that are written in the wrong order of bytes, as far as that is known.
    package var reversed: [String] { state.withLock(\.resolver.reversed).map { files[$0] } }

    package func scannerWillStart(at time: Int64) {}

    package func scannerDidReceive(_ event: RawSpan, at time: Int64) -> Bool {
        state.withLock { received(event, at: Instant(nanoseconds: time), &$0) }
    }

    private func received(_ event: RawSpan, at now: Instant, _ state: inout State) -> Bool {
        guard var reports = LEAdvertisingReports(event: event) else { return false }
        var isHeard = false
        while reports.remaining > 0, let report = try? reports.next() {
            isHeard = true
            received(report, at: now, &state)
        }
        return isHeard
    }

    private func received(_ report: LEAdvertisingReport, at now: Instant, _ state: inout State) {
        let phone = state.resolver.device(of: report.address, report.addressType, at: now.nanoseconds)
        guard phone != nil || report.addressType == .random && report.address.isResolvable else { return }
        let found = state.devices[report.address]
        if found == nil, state.devices.count >= Self.limit,
            let oldest = state.devices.min(by: { $0.value.rank < $1.value.rank })?.key
        {
            state.devices[oldest] = nil
        }
        var device =
            found
            ?? Device(address: report.address, maker: .other, count: 0, firstHeard: now, lastHeard: now)
        if device.count == 0 || device.lastHeard.duration(to: now) >= Self.shortestGap { device.count += 1 }
        device.lastHeard = now
        device.rssi = report.rssi ?? device.rssi
        device.file = phone.map { files[$0] } ?? device.file
        if let maker = Maker(report.data) { device.maker = maker }
        state.devices[report.address] = device
    }

    package func scannerDidUpdate(_ update: AdapterUpdate, at time: Int64) { updated(update) }
    package func scannerDidFinishTurn(at time: Int64) -> Int64? { nil }
    package func scannerDidChangeListening(_ timing: ScanTiming?, at time: Int64) {}
    package var nextDeadline: Int64? { nil }
}

extension PhoneSurvey.Maker {
    /// Company identifiers, and services of Google's that Android advertises (Assigned Numbers, Sections 7.1 and 3.11).
    private static let (appleCompany, googleCompany): (UInt16, UInt16) = (0x004C, 0x00E0)
    private static let googleServices: Set<UInt16> = [0xFCF1, 0xFE2C, 0xFEF3]

    /// The maker by the first structure that names one; `nil` if none does.
    fileprivate init?(_ data: RawSpan) {
        var structures = ADStructures(data)
        while let structure = structures.next() {
            let bytes = [UInt8](structure.data.extracting(first: 2))
            guard bytes.count == 2 else { continue }
            let number = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
            switch structure.type {
            case ADType.manufacturerSpecificData where number == Self.appleCompany: self = .apple
            case ADType.manufacturerSpecificData where number == Self.googleCompany: self = .google
            case ADType.serviceData16 where Self.googleServices.contains(number): self = .google
            default: continue
            }
            return
        }
        return nil
    }
}
