import WiFi

/// What `GET /v1/status` answers.
public struct StatusReport: Codable, Sendable, Equatable {
    /// When it was made, RFC 3339.
    public var time: String
    /// Where the packets come from: `hci0`, or the name of a capture.
    public var source: String
    /// What is not real: `capture`, `wifi`.
    public var simulated: [String]
    /// Whether the daemon's own loop has stopped turning, so that nothing here can be trusted.
    public var stale: Bool
    public var bluetooth: Bluetooth
    public var wifi: WiFi
    public var regions: [RegionReport]
    public var prompts: [PromptReport]
    /// The peripherals that are kept connected, a rule each; nil where the configuration names none.
    public var services: [ServiceReport]?
    public var counters: Counters
    /// What else is in the air; nil from a daemon of before it was told.
    public var air: Air?
    /// What is kept over a restart; nil where nothing is.
    public var kept: Kept?

    public struct Bluetooth: Codable, Sendable, Equatable {
        /// CoreBluetooth's word: unknown, resetting, unsupported, unauthorized, poweredOff, poweredOn.
        public var state: String
        public var adapter: String?
        /// What happened, why, and what to do about it.
        public var reason: String
        /// Whether the controller scans now.
        public var listening: Bool
    }

    public struct WiFi: Codable, Sendable, Equatable {
        public var managerRunning: Bool
        public var radioEnabled: Bool
        public var hardwareEnabled: Bool
        public var device: String?
        public var connectedSSID: String?
        public var activating: Bool

        init(_ state: WiFiState) {
            managerRunning = state.managerRunning
            radioEnabled = state.radioEnabled
            hardwareEnabled = state.hardwareEnabled
            device = state.device
            connectedSSID = state.connectedSSID
            activating = state.activating
        }
    }

    /// What else is in the air: what tells a silence from a receiver that is deaf.
    public struct Air: Codable, Sendable, Equatable {
        /// How many devices advertised in the last minutes, about; never more than 64.
        public var devices: Int
        /// Whether they are so many that none of them being heard is the receiver's doing, and no silence.
        public var isCompany: Bool
        /// How long the receiver was deaf since the start, in seconds.
        public var deaf: Double
    }

    /// What is kept over a restart, and what became of it at the last one.
    public struct Kept: Codable, Sendable, Equatable {
        /// Where.
        public var file: String
        /// What the daemon found when it started: restored, stale, refused or nothing.
        public var start: String
        /// How old that was then, in seconds; nil when it is not known.
        public var age: Double?
        /// The same in a sentence's end.
        public var reason: String
        /// Why it cannot be written now, if so.
        public var problem: String?
        /// Why the history cannot be written now, if so.
        public var historyProblem: String?
    }

    /// What came by since the start.
    public struct Counters: Codable, Sendable, Equatable {
        /// LE advertising reports of whatever content.
        public var reports: UInt64
        /// Those that were iBeacons.
        public var iBeacons: UInt64
        /// Events that were cut or otherwise unsound.
        public var malformed: UInt64
        /// Packets that the kernel dropped because they were not fetched in time.
        public var dropped: UInt64
    }
}

/// A region, as `GET /v1/regions` lists it.
public struct RegionReport: Codable, Sendable, Equatable {
    public var identifier: String
    /// unknown, inside or outside.
    public var state: String
    /// The last state that was known.
    public var lastKnown: String
    /// Since when the state is what it is, RFC 3339; nil before it was first determined.
    public var since: String?
    public var uuid: String
    public var major: UInt16?
    public var minor: UInt16?
    /// How long a silence means that the beacon is gone, in seconds: as of now, where it is learned.
    public var exitAfter: Double
    /// Whether that time is learned.
    public var isLearned: Bool
    /// quick, balanced or patient: how a learned time weighs speed against being right; nil from a daemon of before there
    /// was a choice.
    public var sensitivity: String?
    /// How many exits were false of late; nil before that is known.
    public var mistakes: MistakesReport?
    /// The filtered signal in dBm that enters, and below which it is left; nil: any sighting enters, only silence leaves.
    public var enterRSSI: Int?
    public var exitRSSI: Int?
    /// What tells the distance where it is not what the beacons claim: see ``MonitoredRegion``.
    public var measuredPower: Int8?
    public var pathLossExponent: Double?
    /// The beacon that keeps the region inside.
    public var beacon: BeaconReport?
    /// How its beacons are judged, the one heard last first; a few, where there are many.
    public var beacons: [JudgementReport]
}

/// A beacon in the air, as `GET /v1/beacons` lists it.
public struct BeaconReport: Codable, Sendable, Equatable {
    public var uuid: String
    public var major: UInt16
    public var minor: UInt16
    /// The RSSI at one metre in dBm, as its maker claims it.
    public var measuredPower: Int8
    /// The last RSSI in dBm; nil when the controller could not say.
    public var rssi: Int8?
    /// The estimated distance in metres, -1 when it is not known.
    public var accuracy: Double
    /// immediate, near, far or unknown.
    public var proximity: String
    /// How long ago it was last heard, in seconds.
    public var age: Double
    /// How many of its advertisements were heard.
    public var count: UInt64
    /// The regions it belongs to.
    public var regions: [String]
}

/// A rule for a peripheral that is kept connected, and who that is.
public struct ServiceReport: Codable, Sendable, Equatable {
    /// The rule's name; nil if it has none.
    public var identifier: String?
    /// A UUID of 4, 8 or 32 digits.
    public var service: String
    public var connected: Bool
    /// Of the peripheral that is connected.
    public var address: String?
    /// The same peripheral's name; nil if it has said none.
    public var name: String?
}

/// A prompt that waits.
public struct PromptReport: Codable, Sendable, Equatable {
    /// What to answer it by.
    public var id: String
    public var ssid: String
    public var regions: [String]
    /// Which arrival at the network it belongs to, counted from 1.
    public var arrival: Int

    init(_ prompt: Prompt) {
        id = prompt.id
        ssid = prompt.ssid
        regions = prompt.regions
        arrival = prompt.arrival
    }
}

/// What `GET /v1/prompts` answers.
public struct PromptsReport: Codable, Sendable, Equatable {
    /// The prompts that wait for an answer.
    public var waiting: [PromptReport]
    /// The networks whose prompt was answered with never.
    public var never: [String]
}

/// The body of `POST /v1/prompts/ID`.
public struct AnswerRequest: Codable, Sendable, Equatable {
    /// join, later or never.
    public var answer: String

    public init(answer: String) {
        self.answer = answer
    }
}

/// What a route answers when it cannot do what was asked.
public struct ErrorReport: Codable, Sendable, Equatable {
    /// What happened, why, and what to do.
    public var error: String
}
