/// What is known of one node of the house, from its retained topics and from what it said since.
struct HouseNode: Sendable {
    /// How many names that the daemon went by before are remembered: a word in one of them comes late.
    private static let formerIncarnations = 4

    /// How long `online` is believed that was found and not heard: an interval, and a tenth for the way.
    static let foundValidity = Sight.interval / 10 * 11

    /// How long a node must be online before it owns anything: by then it has heard who else is there, and the others have
    /// heard of it.
    static let settling = 3 * Nanoseconds.second

    /// What its last status said.
    var isOnline = false
    var isScanning = true

    /// Its room; nil: it is in none.
    var room: String?

    /// The regions it watches; nil: all.
    var regions: Set<String>?

    /// When it was found or heard to be online.
    var onlineAt: Int64 = 0

    /// Whether it was there before we were, which its coming is no news for.
    var wasFound = false

    /// When its last status was said to us, and when anything was: nil for what was only found.
    var statusAt: Int64?
    var saidAt: Int64?

    /// The name its daemon goes by, and those it went by.
    private(set) var incarnation: String?
    private var former: [String] = []

    /// Whether its daemon speaks under this name now: not under one it went by before.
    mutating func speaks(as name: String) -> Bool {
        if name == incarnation { return true }
        guard !former.contains(name) else { return false }
        if let incarnation {
            former.append(incarnation)
            if former.count > Self.formerIncarnations { former.removeFirst() }
        }
        incarnation = name
        return true
    }

    /// Until when it counts as alive if nothing more is heard of it.
    private var aliveUntil: Int64? { saidAt?.later(by: Sight.missed * Sight.interval) }

    /// Whether what it says of regions counts: it is online, hears, and said something not long ago.
    func isLive(at now: Int64) -> Bool {
        isOnline && isScanning && aliveUntil.map { now < $0 } ?? false
    }

    /// Whether it was only found, so far, and may still say something.
    func isUnheard(at now: Int64, since found: Int64, for span: Int64) -> Bool {
        isOnline && isScanning && saidAt == nil && now < found.later(by: span)
    }

    /// Until when its status is fresh.
    private var freshUntil: Int64 {
        statusAt?.later(by: Sight.missed * Sight.interval) ?? onlineAt.later(by: Self.foundValidity)
    }

    /// Whether it may own regions: everybody knows the same of it, for only its status counts.
    func isEligible(at now: Int64) -> Bool {
        isOnline && now < freshUntil && (wasFound || now >= onlineAt.later(by: Self.settling))
    }

    /// Whether it says it is online and has said nothing for too long.
    func isSilent(at now: Int64) -> Bool { isOnline && now >= freshUntil }

    /// When one of these answers changes next; nil: only by what it says.
    func nextChange(after now: Int64) -> Int64? {
        guard isOnline else { return nil }
        let settled = onlineAt.later(by: Self.settling)
        return [freshUntil, settled, aliveUntil].compactMap { $0 }.filter { $0 > now }.min()
    }
}
