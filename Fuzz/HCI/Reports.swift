import OkaeriFuzzSupport
import HCI
import IBeacon

/// Reports are the same with the packet type and without, lie within the packet, and are the same when encoded again.
func checkReports(_ packet: UnsafeRawBufferPointer, _ assembler: inout ExtendedReportAssembler) {
    guard var reports = LEAdvertisingReports(packet.bytes) else { return }
    guard var bare = LEAdvertisingReports(event: UnsafeRawBufferPointer(rebasing: packet.dropFirst()).bytes) else {
        return require(false, "reports without the packet type are not reports")
    }
    var values: [AdvertisingReport] = []
    let announced = reports.remaining
    do throws(Truncation) {
        while let report = try reports.next() {
            let value = AdvertisingReport(report)
            require(next(of: &bare) == value, "a report is another one without the packet type")
            checkPlace(of: report, in: packet)
            checkAssembly(report, &assembler)
            values.append(value)
        }
    } catch {
        requireWords(error)
        require(reports.remaining == 0, "there are reports behind one that is cut")
    }
    require(values.count <= announced, "there are more reports than announced")
    checkEncoding(values, isExtended: packet[3] == LESubevent.extendedAdvertisingReport.rawValue)
}

private func next(of reports: inout LEAdvertisingReports) -> AdvertisingReport? {
    guard let report = try? reports.next() else { return nil }
    return AdvertisingReport(report)
}

private func checkPlace(of report: borrowing LEAdvertisingReport, in packet: UnsafeRawBufferPointer) {
    report.data.withUnsafeBytes { data in
        guard let start = data.baseAddress, let first = packet.baseAddress else { return }
        require(start >= first && start + data.count <= first + packet.count, "a report lies outside of its packet")
    }
}

private func checkEncoding(_ reports: [AdvertisingReport], isExtended: Bool) {
    // Some cannot be: a controller may send longer data than a report should hold.
    let event = try? isExtended ? HCIEvent.extendedAdvertisingReports(reports) : HCIEvent.advertisingReports(reports)
    guard let packet = try? event?.packet(), var again = LEAdvertisingReports(packet.span.bytes) else { return }
    for report in reports {
        require(next(of: &again) == report, "a report is encoded to another one")
    }
    require(again.remaining == 0, "more reports were encoded than there are")
}

private func checkAssembly(_ report: borrowing LEAdvertisingReport, _ assembler: inout ExtendedReportAssembler) {
    let (isLegacy, status) = (report.properties.contains(.legacy), report.dataStatus)
    let (own, waiting) = (AdvertisingReport(report), assembler.waiting)
    if let whole = assembler.assemble(report) {
        let assembled = AdvertisingReport(whole)
        require(isLegacy || status != .incomplete, "what is to be gone on with came out")
        require(isLegacy || assembled.dataStatus != .incomplete, "what came out is to be gone on with")
        require(
            assembled.data.count <= ExtendedReportAssembler.maximumDataLength && assembled.data.count >= own.data.count
                || assembled.dataStatus == .truncated, "data was lost, and nothing says so")
        require(
            assembled.dataStatus == .truncated || assembled.data.suffix(own.data.count) == own.data[...], "mixed up")
        if let frame = IBeaconFrame(advertisingData: whole.data) {
            require(
                IBeaconFrame(advertisingData: frame.advertisingData.span.bytes) == frame, "a beacon is sent as another")
        }
    } else {
        require(status == .incomplete && !isLegacy, "a report that is complete was held back")
    }
    require(assembler.waiting <= ExtendedReportAssembler.maximumAdvertisers, "too many advertisers are waited for")
    require(abs(assembler.waiting - waiting) <= 1, "a report ended the waiting for others")
}
