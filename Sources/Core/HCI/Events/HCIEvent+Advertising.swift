extension HCIEvent {
    /// The most reports in one legacy event (Vol 4, Part E, Section 7.7.65.2).
    public static let maximumLegacyReports = 0x19

    /// The most reports in one extended event (Vol 4, Part E, Section 7.7.65.13).
    public static let maximumExtendedReports = 0x0A

    /// An LE Advertising Report event with what the legacy form has; throws when it is too much for one event.
    public static func advertisingReports(_ reports: [AdvertisingReport]) throws(HCIEncodingError) -> HCIEvent {
        try event(
            .advertisingReport, reports, maximumLegacyReports, AdvertisingReport.maximumLegacyDataLength,
            encode: { $0.encodeLegacy(into: &$1) })
    }

    /// An LE Extended Advertising Report event; throws when there is too much for one event.
    public static func extendedAdvertisingReports(_ reports: [AdvertisingReport]) throws(HCIEncodingError) -> HCIEvent {
        try event(
            .extendedAdvertisingReport, reports, maximumExtendedReports, AdvertisingReport.maximumExtendedDataLength,
            encode: { $0.encodeExtended(into: &$1) })
    }

    private static func event(
        _ subevent: LESubevent, _ reports: [AdvertisingReport], _ limit: Int, _ dataLimit: Int,
        encode: (AdvertisingReport, inout [UInt8]) -> Void
    ) throws(HCIEncodingError) -> HCIEvent {
        guard reports.count <= limit else {
            throw .tooManyReports(count: reports.count, limit: limit)
        }
        var parameters = [UInt8(reports.count)]
        for report in reports {
            guard report.data.count <= dataLimit else {
                throw .dataTooLong(count: report.data.count, limit: dataLimit)
            }
            encode(report, &parameters)
        }
        // The subevent's number is a parameter too.
        guard parameters.count < maximumParameterLength else {
            throw .parametersTooLong(count: parameters.count + 1, limit: maximumParameterLength)
        }
        return .leMeta(subevent, parameters: parameters)
    }
}
