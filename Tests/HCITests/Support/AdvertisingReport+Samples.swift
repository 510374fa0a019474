import HCI
import Testing

extension AdvertisingReport {
    static let address = BluetoothAddress("C0:FF:EE:12:34:56")

    /// A beacon's advert with recognisable data.
    static func sample(
        rssi: Int8? = -60, transmitPower: Int8? = nil, data: [UInt8] = [0x02, 0x01, 0x06]
    ) throws -> AdvertisingReport {
        AdvertisingReport(
            address: try #require(address), addressType: .random, transmitPower: transmitPower, rssi: rssi, data: data)
    }

    static func extendedSample(
        status: AdvertisingDataStatus = .complete, sid: UInt8? = 3, data: [UInt8] = [0x02, 0x01, 0x06]
    ) throws -> AdvertisingReport {
        AdvertisingReport(
            address: try #require(address), addressType: .public, properties: [.connectable], dataStatus: status,
            primaryPHY: 1, secondaryPHY: 2, advertisingSID: sid, transmitPower: 4, rssi: -71, data: data)
    }
}

/// All reports of a packet as values, and the error that ended them.
func readAll(_ packet: [UInt8]) -> (reports: [AdvertisingReport], error: Truncation?)? {
    guard var reports = LEAdvertisingReports(packet.span.bytes) else { return nil }
    var values: [AdvertisingReport] = []
    do throws(Truncation) {
        while let report = try reports.next() {
            values.append(AdvertisingReport(report))
        }
        return (values, nil)
    } catch {
        return (values, error)
    }
}
