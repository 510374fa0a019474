import FoundationEssentials
import Glibc
import OkaeriBluetooth
import OkaeriClient
import OkaeriConfiguration
package import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi
import SystemPackage

/// A text for a bug report: versions, the machine, the shape of the configuration, the doctor's findings and the journal, without
/// names, addresses and secrets.
package struct DoctorReport: Sendable {
    /// The facts about this machine, as they are.
    struct Facts: Sendable {
        var version = ""
        var system: [String] = []
        var adapters: [String] = []
        var configuration: [UInt8]?
        var findings: [Finding] = []
        var status: StatusReport?
        var nodes: NodesReport?
        var journal: [JournalLine] = []
        /// The values of the configuration as the daemon uses it, with the regions of the page.
        var names: [KnownName] = []
    }

    package let text: String

    init(_ facts: Facts) {
        var redact = Redaction()
        let shape = facts.configuration.map(ConfigurationShape.init)
        let names =
            (shape?.names ?? []) + Self.names(facts.status) + Self.names(facts.nodes) + facts.journal.flatMap(\.names)
            + facts.names
        for name in names { redact.add(name) }
        var sections: [(title: String, lines: [String])] = [
            ("Okaeri", [facts.version]), ("System", facts.system), ("Adapters", facts.adapters),
            ("Configuration", shape.map { [$0.text] } ?? ["none that can be read"]),
        ]
        sections.append(("Doctor", facts.findings.map { redact($0.text()) }))
        sections.append(("Daemon", facts.status.map { Self.lines($0).map { redact($0) } } ?? ["no answer"]))
        sections.append(("Journal", facts.journal.map { "\($0.time) \(redact(Self.plain($0.message)))" }))
        text = sections.map { title, lines in
            "== \(title)\n" + (lines.isEmpty ? ["nothing"] : lines).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    private static func plain(_ message: String) -> String {
        message.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).plain() }.joined(
            separator: "\n    ")
    }

    private static func names(_ status: StatusReport?) -> [KnownName] {
        guard let status else { return [] }
        var names: [KnownName] = []
        for region in status.regions {
            names.append(KnownName(region.identifier, "region"))
            if let room = region.house?.room { names.append(KnownName(room, "room")) }
            if let owner = region.house?.owner { names.append(KnownName(owner, "node")) }
        }
        for service in status.services ?? [] {
            for name in [service.identifier, service.name] { if let name { names.append(KnownName(name, "device")) } }
        }
        for ssid in status.prompts.map(\.ssid) + (status.never ?? []) { names.append(KnownName(ssid, "ssid")) }
        if let ssid = status.wifi.connectedSSID { names.append(KnownName(ssid, "ssid")) }
        return names
    }

    /// The names of the configuration as the daemon uses it, with the regions of the page.
    static func names(_ configuration: Configuration?) -> [KnownName] {
        guard let configuration else { return [] }
        return configuration.regions.map { KnownName($0.identifier, "region") }
            + configuration.regions.compactMap(\.network).map { KnownName($0.ssid, "ssid") }
            + [configuration.node.room].compactMap(\.self).map { KnownName($0, "room") }
    }

    private static func names(_ house: NodesReport?) -> [KnownName] {
        guard let house else { return [] }
        return [KnownName(house.node, "node"), KnownName(house.site, "site")]
            + house.nodes.map { KnownName($0.name, "node") }
            + house.nodes.compactMap(\.room).map { KnownName($0, "room") }
    }

    /// The facts about the daemon. Its faults are among the findings of the doctor.
    private static func lines(_ status: StatusReport) -> [String] {
        let (bluetooth, counters) = (status.bluetooth, status.counters)
        var lines = [
            "regions: \(status.regions.count), simulated: \(status.simulated.joined(separator: " ")), stale: \(status.stale)",
            "bluetooth: \(bluetooth.state.rawValue), listening \(bluetooth.listening): \(bluetooth.reason)",
            "wifi: NetworkManager \(status.wifi.managerRunning), radio \(status.wifi.radioEnabled), device \(status.wifi.device != nil)",
            "counters: \(counters.reports) reports, \(counters.iBeacons) iBeacons, \(counters.malformed) malformed, "
                + "\(counters.dropped) dropped, \(counters.scanRestarts ?? 0) restarts of the scan",
        ]
        if let kept = status.kept { lines.append("state: \(kept.start)") }
        if let loaded = status.configuration { lines.append("configuration: read at \(loaded.time)") }
        return lines
    }
}

// MARK: This machine

extension DoctorReport {
    /// Looks at this machine. The findings are those of the doctor.
    package init(_ findings: [Finding], of doctor: Doctor, version: String) async {
        var facts = Facts()
        facts.version = version
        facts.findings = findings
        facts.status = try? await doctor.client.get(Route.status, as: StatusReport.self)
        facts.nodes = try? await doctor.client.get(Route.nodes, as: NodesReport.self)
        let file = doctor.file
        let machine = try? await BlockingThread.run({ BlockingThread.StartError(code: $0) }) {
            () throws(BlockingThread.StartError) in
            (
                journal: JournalLine.recent(), system: Self.system, adapters: Self.adapters,
                configuration: file.flatMap { try? Configuration.contents(of: $0) }
            )
        }
        if let machine {
            facts.journal = machine.journal
            (facts.system, facts.adapters, facts.configuration) = (
                machine.system, machine.adapters, machine.configuration
            )
        }
        facts.names = Self.names(doctor.configured)
        self.init(facts)
    }

    private static var system: [String] {
        var name = utsname()
        uname(&name)
        func text<Value>(_ value: Value) -> String {
            withUnsafeBytes(of: value) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let release = contents("/etc/os-release").split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return [
            "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))",
            release.map { String($0.dropFirst("PRETTY_NAME=".count)).plain() } ?? "no /etc/os-release",
        ]
    }

    /// Without their addresses.
    private static var adapters: [String] {
        switch AdapterDiagnosis().adapters {
        case .failure(let error): ["they cannot be listed: \(error)"]
        case .success(let adapters):
            adapters.map { adapter in
                let model = contents("/sys/class/bluetooth/\(adapter.name)/device/modalias").prefix { $0 != "\n" }
                return "\(adapter.name): up \(adapter.isUp), LE \(adapter.hasLowEnergy), block "
                    + "\(adapter.radioBlock), \(model.isEmpty ? "model unknown" : String(model).plain())"
            }
        }
    }

    private static func contents(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path)?.prefix(1 << 16) ?? Data(), as: UTF8.self)
    }
}

// MARK: The file

extension DoctorReport {
    /// The reason why there is no file.
    package struct WriteFailure: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Writes the report into a new file that only this user may read. An existing file is left as it is.
    package func write(to path: String) throws(WriteFailure) {
        let file: OutputFile
        do throws(FilePlace.Problem) {
            file = try OutputFile(creating: path, permissions: .ownerReadWrite)
        } catch {
            throw WriteFailure(
                description: "cannot write \(path): \(error.description); \(error.outputRemedy)")
        }
        do {
            try file.descriptor.writeAll(text.utf8)
        } catch {
            file.remove()
            throw WriteFailure(
                description: "cannot write \(path): \((error as? Errno) ?? .ioError); check the disk with `df`")
        }
    }
}
