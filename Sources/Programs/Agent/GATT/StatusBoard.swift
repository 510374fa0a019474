import BlueZ
import OkaeriChecksum
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring

/// The values for centrals, and their notifications: the daemon's answers in, values out.
struct StatusBoard: Sendable {
    /// A value for the subscribers.
    enum Update: Sendable, Equatable {
        /// Of the region states: one line.
        case region([UInt8])
        /// Of the waiting prompts: all of them.
        case prompts([UInt8])
    }

    private struct Region: Equatable {
        let identifier: String
        let state: RegionState
    }

    /// nil while no daemon answers.
    private var regions: [Region]?
    private var waiting: [Prompt] = []

    /// The value of the region states: those inside first, for they matter most where not all fit.
    var regionStates: [UInt8] {
        guard let regions else { return StatusLines.noDaemon }
        let inside = regions.filter { $0.state == .inside }
        return StatusLines.value(
            (inside + regions.filter { $0.state != .inside }).map { StatusLines.region($0.identifier, $0.state) })
    }

    /// The value of the waiting prompts; empty where none waits.
    var prompts: [UInt8] { StatusLines.value(waiting.map(StatusLines.prompt)) }

    /// Whether a prompt waits for an answer.
    var isAsking: Bool { !waiting.isEmpty }

    /// The prompt that is answered by this token; nil when it waits no more.
    func prompt(_ token: String) -> Prompt? { waiting.first { $0.token == token } }

    /// The daemon's status is this.
    mutating func update(with report: StatusReport) -> [Update] {
        let new = report.regions.map { Region(identifier: $0.identifier, state: $0.state) }
        let old = regions ?? []
        regions = new
        let changed = new.filter { !old.contains($0) }
        let dropped = old.filter { region in !new.contains { $0.identifier == region.identifier } }
        return
            (changed.map { StatusLines.region($0.identifier, $0.state) }
            + dropped.map { StatusLines.region($0.identifier, .unknown) }).map(Update.region)
            + wait(for: report.prompts)
    }

    /// The daemon does not answer.
    mutating func daemonLost() -> [Update] {
        guard regions != nil else { return [] }
        regions = nil
        return [.region(StatusLines.noDaemon)] + wait(for: [])
    }

    private mutating func wait(for new: [Prompt]) -> [Update] {
        guard new.map(\.token) != waiting.map(\.token) else { return [] }
        waiting = new
        return [.prompts(prompts)]
    }
}

/// The format of the values: lines of UTF-8, each of which ends with a line feed, so that one that was cut can be
/// recognized.
enum StatusLines {
    /// Okaeri's daemon does not answer: nothing is known.
    static let noDaemon = Array("!\n".utf8)

    /// `+home`: inside; `-home`: outside; `?home`: unknown.
    static func region(_ identifier: String, _ state: RegionState) -> [UInt8] {
        let sign =
            switch state {
            case .inside: "+"
            case .outside: "-"
            case .unknown: "?"
            }
        return line(sign + identifier)
    }

    /// `1C291CA3 HomeNet`: what to answer by, and the network; and `1C291CA3=radioOff` for its circumstance, if there is one.
    static func prompt(_ prompt: Prompt) -> [UInt8] {
        line("\(prompt.token) \(prompt.ssid)")
            + (prompt.situation.map { line("\(prompt.token)=\($0.rawValue)") } ?? [])
    }

    /// As many lines as a value can have; then how many more there are: `*12`.
    static func value(_ lines: [[UInt8]]) -> [UInt8] {
        var value: [UInt8] = []
        for (index, line) in lines.enumerated() {
            let isLast = index == lines.count - 1
            let rest = isLast ? [] : Self.line("*\(lines.count - index)")
            guard value.count + line.count + rest.count <= MutableCharacteristic.longestValue else {
                return value + Self.line("*\(lines.count - index)")
            }
            value += line
        }
        return value
    }

    /// Nothing in a name begins a new line.
    private static func line(_ text: String) -> [UInt8] {
        Array(text.plain(replacement: "\u{FFFD}").utf8) + [0x0A]
    }
}

extension Prompt {
    /// Names this prompt and no other, also over restarts of the daemon, which counts anew.
    var token: String {
        CRC32(of: ArraySlice("\(id)\n\(arrival)\n\(ssid)\(situation.map { "\n\($0.rawValue)" } ?? "")".utf8))
            .description
    }
}
