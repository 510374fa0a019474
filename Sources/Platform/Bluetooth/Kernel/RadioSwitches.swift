/// rfkill, as sysfs shows it.
struct RadioSwitches: Sendable {
    /// `/sys/class/bluetooth`; a test has its own.
    var folder = "/sys/class/bluetooth"

    /// The numbers of an adapter's switches: more than one only while one is being replaced.
    func numbers(of adapter: String) -> [UInt32] {
        SystemFile.names("\(folder)/\(adapter)").compactMap { name in
            name.hasPrefix("rfkill") ? UInt32(name.dropFirst("rfkill".count)) : nil
        }
    }

    /// Returns the switch that blocks an adapter. Its switch is the folder rfkillN in the adapter's own.
    func block(of adapter: String) -> Adapter.RadioBlock {
        let path = "\(folder)/\(adapter)"
        let switches = SystemFile.names(path).filter { $0.hasPrefix("rfkill") }
        if switches.contains(where: { isSet("\(path)/\($0)/hard") }) { return .hard }
        if switches.contains(where: { isSet("\(path)/\($0)/soft") }) { return .soft }
        return .none
    }

    private func isSet(_ path: String) -> Bool {
        SystemFile.text(path)?.first == "1"
    }
}
