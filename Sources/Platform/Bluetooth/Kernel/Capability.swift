/// A right of a process that is not root's alone (capabilities(7)).
public enum Capability: Int, Hashable, Sendable, CaseIterable {
    /// Switching adapters on and off.
    case networkAdministration = 12

    /// LE events, and LE commands.
    case rawSockets = 13

    /// Whether this process has it in effect; `nil` if /proc does not show it.
    public var isEffective: Bool? {
        SystemFile.text("/proc/self/status").flatMap(isEffective(in:))
    }

    /// Whether it is in effect by the text of /proc/PID/status; `nil` if the text does not show it.
    func isEffective(in status: String) -> Bool? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let digits = line.split(whereSeparator: \.isWhitespace).last,
            let mask = UInt64(digits, radix: 16)
        else { return nil }
        return mask & (1 << rawValue) != 0
    }
}
