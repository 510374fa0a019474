import FoundationEssentials
import OkaeriFuzzSupport
import OkaeriClient
import OkaeriEvents

/// The input is what a daemon answers, of this version or another: a status report, or a piece of its event stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    checkStream(bytes)
    if let report = try? JSONDecoder().decode(StatusReport.self, from: Data(bytes)) { check(report) }
    return 0
}

/// Checks that no text of a report for a person or a program is empty, and that its JSON is the report.
private func check(_ report: StatusReport) {
    let regions = [nil] + report.regions.prefix(3).map(\.identifier)
    for region in regions {
        guard let summary = StatusSummary(report, region: region) else {
            require(false, "a region that is there is not")
            continue
        }
        for language in Language.allCases { require(!summary.text(in: language).isEmpty, "a report has no words") }
        require(0...3 ~= summary.exitStatus, "a report has no status")
        let nagios = summary.nagios
        require(!nagios.line.contains(where: \.isNewline), "a plugin's output has two lines")
        require(nagios.line.hasPrefix("OKAERI ") && 0...3 ~= nagios.exitStatus, "a plugin's output has no status")
        if region == nil {
            let again = try? JSONDecoder().decode(StatusReport.self, from: Data(summary.json.utf8))
            require(again == report, "a report is read back as another")
        }
    }
    for region in regions.compactMap(\.self) {
        for language in Language.allCases {
            let explanation = RegionExplanation(report, region: region, language: language)
            require(explanation?.text.isEmpty == false, "a region has no explanation")
        }
    }
    for language in Language.allCases {
        require(!report.unknownRegion("?", in: language).isEmpty, "the message does not name the regions")
    }
}
