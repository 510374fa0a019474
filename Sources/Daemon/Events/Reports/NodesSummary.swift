import OkaeriPlumbing
import RegionMonitoring

extension NodesReport {
    /// Some lines for a person: the nodes, then the regions.
    package var lines: [String] {
        let width = min((nodes.map(\.name) + regions.map(\.identifier)).map(\.displayWidth).max() ?? 0, 24)
        var lines = nodes.flatMap { self.lines($0, width) }
        if let rejected { lines.append("other receivers: \(NodeReport.Receiver.text(rejected))") }
        if !connected { lines.append("MQTT: \(reason)") }
        lines.append("")
        lines += regions.map { "\($0.identifier.padding(to: width))  \($0.house.text(in: .english))" }
        // Others may write what they like to a broker.
        return lines.map { $0.plain() }
    }

    private func lines(_ node: NodeReport, _ width: Int) -> [String] {
        var words = [node.online ? "online" : connected || node.name != self.node ? "OFFLINE" : "alone"]
        if node.online, let since = node.since { words[0] += " since \(LocalTime.text(stamp: since))" }
        if let room = node.room { words.append("room \(room)") }
        if node.online, let listening = node.listening {
            let (adapter, why) = (node.adapter ?? "Bluetooth", node.reason ?? "it does not say why")
            words.append("\(adapter) \(listening ? "listens" : "is DEAF: \(why)")")
        }
        if let radio = node.radio, !radio.away || node.name != self.node { words += radio.words(node.receiver) }
        if let receiver = node.receiver { words += receiver.words(node.name) }
        if let version = node.version { words.append(version) }
        if node.kind == .standby { words.append("standby") }
        if node.name == hub { words.append("hub") }
        if node.name == self.node { words.append("(this one)") }
        if !node.online, node.name != self.node { words.append("gone for good? okaeri nodes forget \(node.name)") }
        return ["\(node.name.padding(to: width))  \(words.joined(separator: ", "))"]
    }
}

extension NodeReport.Radio {
    fileprivate func words(_ receiver: NodeReport.Receiver?) -> [String] {
        guard !away else { return age > 0 ? ["no report for \(Int(age.rounded())) s"] : [] }
        var words = ["\(rate.rounded(digits: 1).plain) receptions/s"]
        if receiver == nil { words.append("listens \(Int((share * 100).rounded())) %") }
        if lost > 0 { words.append("\(quantity(lost, "report")) lost") }
        if late > 0 { words.append("\(late) late") }
        return words
    }
}

extension NodeReport.Receiver {
    fileprivate func words(_ node: String) -> [String] {
        // The name among the nodes has a hash in its place.
        var words = [node.hasSuffix(name) ? make : "\(make) \"\(name)\""]
        if deaf { words.append("receives NOTHING") }
        if let interval, interval >= 0.1 { words.append("a report every \(interval.rounded(digits: 1).plain) s") }
        if let scans, scans < 0.9 { words.append("scans \(Int((scans * 100).rounded())) % of the time") }
        if !rejected.isEmpty { words.append(Self.text(rejected)) }
        return words
    }

    fileprivate static func text(_ rejected: [String: UInt64]) -> String {
        "rejected: \(rejected.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
    }
}

extension HouseReport {
    /// The state as text, and the hub that decided it.
    package func text(in language: Language) -> String {
        var words = language(StatusPhrase(state))
        if state == .unknown, lastKnown != .unknown {
            words = language(StatusPhrase.lastKnown, words, language(StatusPhrase(lastKnown)))
        }
        if let since { words = language(StatusPhrase.since, words, LocalTime.text(stamp: since)) }
        if let room { words = language(StatusPhrase.inRoom, words, room) }
        if !waiting.isEmpty { words = language(StatusPhrase.waitsFor, words, language.list(waiting)) }
        if let owner { words = language(StatusPhrase.decidedBy, words, owner) }
        return words.plain()
    }
}
