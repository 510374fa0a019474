/// What outlives the daemon, as it stands in the file.
struct KeptState: Codable, Equatable, Sendable {
    /// The layout that is written, and those that are read: version 1 had another form of what was learned.
    static let version = 2
    static let versions = 1...2

    /// A region and where the person was last.
    struct Region: Codable, Equatable, Sendable {
        var identifier: String
        /// Its beacons, as `UUID/major/minor`, an asterisk for any.
        var beacons: String
        /// inside or outside.
        var state: String
        /// In seconds, where it was learned.
        var exitTime: Double?
    }

    /// What was learned of a beacon.
    struct Beacon: Codable, Equatable, Sendable {
        /// Which one, as `UUID/major/minor`.
        var beacon: String
        var learned: Float
        /// The gaps of the last minutes and of the last day: how many of each length, without the zeros at the end, and how
        /// many seconds were listened. Nil in a file of version 1.
        var minutes: [Float]?
        var minutesListened: Float?
        var day: [Float]?
        var dayListened: Float?
        /// How long the gaps of each length were in all: those of `minutes`, and in version 1 those of `counts`.
        var sums: [Float]
        /// Of version 1 alone.
        var counts: [Float]?
    }

    /// The prompts and their answers.
    struct Prompts: Codable, Equatable, Sendable {
        var never: [String]
        var next: Int
        var visits: [Visit]
    }

    /// A network that was arrived at.
    struct Visit: Codable, Equatable, Sendable {
        var ssid: String
        var regions: [String]
        var arrival: Int
        var isSettled: Bool
        var prompt: String?
        /// How long ago the last prompt was put, in seconds.
        var sinceLastOffer: Double?
    }

    /// A peripheral that was connected because of a service.
    struct Peripheral: Codable, Equatable, Sendable {
        /// What tells its rule from the others, and the service.
        var rule: String
        var service: String
        var address: String
        var name: String?
    }

    var version = Self.version
    var written: StateStamp
    var regions: [Region]
    var beacons: [Beacon]
    var prompts: Prompts
    /// Nil where nobody was, as in files of before there were any.
    var peripherals: [Peripheral]?

    /// Whether somebody is inside or connected: then it must be known how long that was so, and else it makes no difference.
    var isOccupied: Bool { regions.contains { $0.state == "inside" } || peripherals != nil }

    /// Without what merely ages.
    var content: KeptState {
        var content = self
        content.written = StateStamp(wall: 0, boot: nil, uptime: 0)
        for index in prompts.visits.indices { content.prompts.visits[index].sinceLastOffer = nil }
        return content
    }

    /// Without what changes all the time, too: what is different here is written at once.
    var essence: KeptState {
        var essence = content
        essence.beacons = []
        for index in regions.indices { essence.regions[index].exitTime = nil }
        return essence
    }
}
