import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriReceivers

/// The receivers of other makes.
extension Doctor {
    /// The part of the time from which on a scan is quick enough, and the number of rejected messages from which on they are mentioned.
    private static let (quickScan, manyRejected) = (0.5, UInt64(10))

    /// The settings with which an OpenMQTTGateway scans all the time, and publishes iBeacons with their bytes.
    private static let quickGateway =
        #"{"adaptivescan":false,"interval":100,"intervalacts":60000,"scanduration":1000,"pubadvdata":true,"save":true}"#

    var receiverFindings: [Finding] {
        get async {
            guard let configured, !configured.receivers.isEmpty,
                let report = try? await client.get(Route.nodes, as: NodesReport.self)
            else { return [] }
            return Self.receiverFindings(report, configured)
        }
    }

    static func receiverFindings(_ report: NodesReport, _ configuration: Configuration) -> [Finding] {
        guard report.connected, let mqtt = configuration.mqtt else { return [] }
        let host = mqtt.broker.host.shellQuoted
        let nodes = report.nodes.filter { $0.receiver != nil }
        guard !nodes.isEmpty else {
            let filters = configuration.receivers.flatMap(\.topics.filters)
            return [
                .note(
                    "receivers", DoctorPhrase.noReceivers, host, (filters.first ?? "").shellQuoted,
                    Language.english.list(filters.map { "`\($0)`" }))
            ]
        }
        let present = nodes.filter { $0.online && !($0.receiver?.deaf ?? false) }.map(\.name)
        let list =
            present.isEmpty ? [] : [Finding.ok("receivers", DoctorPhrase.receivers, Language.english.list(present))]
        let tooMany = report.rejected?[ReceiverRejection.tooManyReceivers.rawValue].map { count in
            Finding.wrong("receivers", DoctorPhrase.receiversTooMany, "\(nodes.count)", "\(count)")
        }
        return list + nodes.flatMap { findings($0, host, configuration) } + [tooMany].compactMap(\.self)
    }

    private static func findings(_ node: NodeReport, _ host: String, _ configuration: Configuration) -> [Finding] {
        guard let receiver = node.receiver else { return [] }
        guard node.online else { return [.note("receivers", DoctorPhrase.receiverAway, node.name)] }
        var findings: [Finding] = []
        if receiver.deaf { findings.append(.wrong("receivers", DoctorPhrase.receiverDeaf, node.name)) }
        if let scans = receiver.scans, scans < quickScan, let topic = topic(of: receiver, configuration) {
            findings.append(
                .note(
                    "receivers", DoctorPhrase.receiverSlow, node.name, "\(Int((scans * 100).rounded()))", host,
                    topic.shellQuoted, quickGateway.shellQuoted))
        }
        if receiver.rejected[ReceiverRejection.duplicate.rawValue] != nil {
            findings.append(.wrong("receivers", DoctorPhrase.receiverDuplicate, receiver.name))
        }
        if receiver.rejected[ReceiverRejection.ambiguous.rawValue] != nil {
            findings.append(.note("receivers", DoctorPhrase.receiverAmbiguous, node.name))
        }
        let rejected = receiver.rejected.values.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
        if rejected >= manyRejected {
            findings.append(.note("receivers", DoctorPhrase.receiverRejected, "\(rejected)", node.name))
        }
        return findings
    }

    /// Returns the first levels of the topics of a gateway.
    private static func topic(of receiver: NodeReport.Receiver, _ configuration: Configuration) -> String? {
        let topics = configuration.receivers.map(\.topics).first {
            $0.make == .openmqttgateway && $0.make.title == receiver.make
        }
        guard let levels = topics?.topic.split(separator: "/").dropLast(2) else { return nil }
        return levels.map { $0 == "+" ? receiver.name[...] : $0 }.joined(separator: "/")
    }
}
