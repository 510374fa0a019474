import FoundationEssentials
import OkaeriFuzzSupport
import HCI
@testable import OkaeriConfiguration
import OkaeriWiFi
import RegionMonitoring

/// The input is a configuration, `beacons.json`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](input(start, count))
    checkSyntax(bytes)
    let read = Result { () throws(ConfigurationError) in try Configuration(json: bytes, file: "beacons.json") }
    require(
        Result { () throws(ConfigurationError) in try Configuration(json: bytes, file: "beacons.json") } == read,
        "the same text is two configurations")
    switch read {
    case .success(let configuration): check(configuration)
    case .failure(let error):
        requireWords(error)
        for problem in error.problems {
            require(
                [problem.place, problem.found, problem.expected].allSatisfy { !$0.isEmpty }, "a mistake without words")
        }
    }
    return 0
}

private func check(_ configuration: Configuration) {
    switch configuration.scan {
    case .automatic(let lateShare): require(0...1 ~= lateShare, "a share of more than all")
    case .fixed(let timing): require(timing.window <= timing.interval, "a window longer than its interval")
    case .continuous, .shared: break
    }
    require(
        configuration.regions.isEmpty
            ? [[], [Configuration.noRegion]].contains(configuration.notices)
            : configuration.notices.allSatisfy { $0.hasPrefix("regions[") }, "a notice of no region")
    require(Set(configuration.regions.map(\.identifier)).count == configuration.regions.count, "two regions of a name")
    for region in configuration.regions {
        require(!region.identifier.isEmpty, "a region without a name")
        require(1...32 ~= (region.network?.ssid.utf8.count ?? 1), "a network without a name")
        require((region.monitored.exitAfter ?? .seconds(1)) > .zero, "a region that is left at once")
    }
}

/// Checks that a text that the strict parser accepts has the same value by another parser; and that an error has a
/// place and a reason.
private func checkSyntax(_ bytes: [UInt8]) {
    do throws(JSONParser.SyntaxError) {
        let node = try JSONParser.parse(bytes)
        do {
            let other = try JSONDecoder().decode(OtherNode.self, from: Data(bytes))
            require(other.isSame(as: node), "the text means something else")
        } catch {
            // It refuses 0e1 and 1e-1000, which are numbers (RFC 8259, 6).
            let text = String(decoding: bytes, as: UTF8.self)
            require(
                text.contains("0e") || text.contains("0E") || hasLongExponent(bytes),
                "what is not JSON was taken: \(error)")
        }
    } catch {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        require(1...lines.count ~= error.line, "the mistake is in no line")
        require(1...(lines[error.line - 1].count + 1) ~= error.column, "the mistake is in no column")
        require(!error.found.isEmpty && !error.expected.isEmpty, "the mistake has no words")
    }
}

/// Whether there is an exponent beyond those that a Double has.
private func hasLongExponent(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
        guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return false }
        let rest = bytes[(index + 1)...]
        let digits = rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") ? rest.dropFirst() : rest
        return digits.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count >= 3
    }
}
