/// Counts wrong tokens: five a minute from one address, and then none is looked at for the rest of the minute.
struct WrongTokens: Sendable {
    private static let most = 5
    private static let window: Int64 = 60 * 1_000_000_000

    /// More addresses are not told apart: whoever has so many is one.
    private static let mostAddresses = 256
    private static let others = ""

    private var times: [String: [Int64]] = [:]

    /// How many seconds no token from there is looked at; nil: it is.
    mutating func wait(for address: String, at now: Int64) -> Int64? {
        forget(at: now)
        let known = times[place(of: address)] ?? []
        guard known.count >= Self.most, let first = known.first else { return nil }
        return max(1, (first + Self.window - now + 999_999_999) / 1_000_000_000)
    }

    mutating func count(_ address: String, at now: Int64) { times[place(of: address), default: []].append(now) }

    private func place(of address: String) -> String {
        times[address] != nil || times.count < Self.mostAddresses ? address : Self.others
    }

    private mutating func forget(at now: Int64) {
        times = times.compactMapValues { known in
            let recent = known.filter { now - $0 < Self.window }
            return recent.isEmpty ? nil : recent
        }
    }
}
