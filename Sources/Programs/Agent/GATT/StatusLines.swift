import BlueZ
import Plumbing
import RegionMonitoring
import WiFi

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
