package import RegionMonitoring

/// What `GET /v1/status` answers.
package struct StatusReport: Codable, Sendable, Equatable {
    /// When it was made, RFC 3339.
    package var time: String
    /// Where the packets come from: `hci0`, or the name of a capture.
    package var source: String
    /// What is not real: `capture`, `wifi`.
    package var simulated: [String]
    /// Whether the daemon's own loop has stopped turning, so that nothing here can be trusted.
    package var stale: Bool
    package var bluetooth: Bluetooth
    package var wifi: WiFi
    package var regions: [RegionReport]
    package var prompts: [PromptReport]
    /// The networks that are neither asked about nor joined, because a prompt was answered with never; nil if there are none.
    package var never: [String]?
    /// The peripherals that are kept connected, a rule each; nil where the configuration names none.
    package var services: [ServiceReport]?
    package var counters: Counters
    /// What else is in the air; nil from a daemon of before it was told.
    package var air: Air?
    /// What is kept over a restart; nil where nothing is.
    package var kept: Kept?
    /// How it stands with the MQTT broker; nil where the configuration names none.
    package var mqtt: MQTT?
    /// Where it listens beside its socket; nil where it does not.
    package var listeners: [ListenerReport]?

    package struct Bluetooth: Codable, Sendable, Equatable {
        /// CoreBluetooth's word: unknown, resetting, unsupported, unauthorized, poweredOff, poweredOn.
        package var state: String
        package var adapter: String?
        /// What happened, why, and what to do about it.
        package var reason: String
        /// Whether the controller scans now.
        package var listening: Bool
        /// For how long it has not, in seconds; nil while it does, and before the start.
        package var pausedFor: Double?

        package init(
            state: String, adapter: String? = nil, reason: String, listening: Bool, pausedFor: Double? = nil
        ) {
            self.state = state
            self.adapter = adapter
            self.reason = reason
            self.listening = listening
            self.pausedFor = pausedFor
        }
    }

    package struct WiFi: Codable, Sendable, Equatable {
        package var managerRunning: Bool
        package var radioEnabled: Bool
        package var hardwareEnabled: Bool
        package var device: String?
        package var connectedSSID: String?
        /// What limits the access to the Internet, as the code of `wifiAccessLimited`.
        package var limitation: String?
        package var activating: Bool

        package init(
            managerRunning: Bool, radioEnabled: Bool, hardwareEnabled: Bool, device: String? = nil,
            connectedSSID: String? = nil, limitation: String? = nil, activating: Bool
        ) {
            self.managerRunning = managerRunning
            self.radioEnabled = radioEnabled
            self.hardwareEnabled = hardwareEnabled
            self.device = device
            self.connectedSSID = connectedSSID
            self.limitation = limitation
            self.activating = activating
        }
    }

    /// The other devices in the air: they distinguish an absent beacon from a deaf receiver.
    package struct Air: Codable, Sendable, Equatable {
        /// The number of devices that advertised in the last minutes, without beacons of regions; 64 at most.
        package var devices: Int
        /// Whether enough of them advertise regularly, so that a silence of all is deafness of the receiver.
        package var isCompany: Bool
        /// The time for which the receiver was deaf since the start, in seconds.
        package var deaf: Double

        package init(devices: Int, isCompany: Bool, deaf: Double) {
            self.devices = devices
            self.isCompany = isCompany
            self.deaf = deaf
        }
    }

    /// What is kept over a restart, and what became of it at the last one.
    package struct Kept: Codable, Sendable, Equatable {
        /// Where.
        package var file: String
        /// What the daemon found when it started: restored, stale, refused or nothing.
        package var start: String
        /// How old that was then, in seconds; nil when it is not known.
        package var age: Double?
        /// The same in a sentence's end.
        package var reason: String
        /// Why it cannot be written now, if so.
        package var problem: String?
        /// Why the history cannot be written now, if so.
        package var historyProblem: String?

        package init(
            file: String, start: String, age: Double? = nil, reason: String, problem: String? = nil,
            historyProblem: String? = nil
        ) {
            self.file = file
            self.start = start
            self.age = age
            self.reason = reason
            self.problem = problem
            self.historyProblem = historyProblem
        }
    }

    /// How it stands with the MQTT broker.
    package struct MQTT: Codable, Sendable, Equatable {
        package var connected: Bool
        /// What is, why, and what to do about it.
        package var reason: String

        package init(connected: Bool, reason: String) {
            self.connected = connected
            self.reason = reason
        }
    }

    /// What came by since the start.
    package struct Counters: Codable, Sendable, Equatable {
        /// LE advertising reports of whatever content.
        package var reports: UInt64
        /// Those that were iBeacons.
        package var iBeacons: UInt64
        /// Events that were cut or otherwise unsound.
        package var malformed: UInt64
        /// Packets that the kernel dropped because they were not fetched in time.
        package var dropped: UInt64
        /// How often the scan began again, after whatever ended it; nil from a daemon of before it was counted.
        package var scanRestarts: UInt64?

        package init(
            reports: UInt64, iBeacons: UInt64, malformed: UInt64, dropped: UInt64, scanRestarts: UInt64? = nil
        ) {
            self.reports = reports
            self.iBeacons = iBeacons
            self.malformed = malformed
            self.dropped = dropped
            self.scanRestarts = scanRestarts
        }
    }

    package init(
        time: String, source: String, simulated: [String], stale: Bool, bluetooth: Bluetooth, wifi: WiFi,
        regions: [RegionReport], prompts: PromptsReport, services: [ServiceReport]? = nil, counters: Counters,
        air: Air? = nil, kept: Kept? = nil, mqtt: MQTT? = nil, listeners: [ListenerReport]? = nil
    ) {
        self.time = time
        self.source = source
        self.simulated = simulated
        self.stale = stale
        self.bluetooth = bluetooth
        self.wifi = wifi
        self.regions = regions
        self.prompts = prompts.waiting
        never = prompts.never.isEmpty ? nil : prompts.never
        self.services = services
        self.counters = counters
        self.air = air
        self.kept = kept
        self.mqtt = mqtt
        self.listeners = listeners
    }
}

/// A region, as `GET /v1/regions` lists it.
package struct RegionReport: Codable, Sendable, Equatable {
    package var identifier: String
    /// unknown, inside or outside.
    package var state: String
    /// The last state that was known.
    package var lastKnown: String
    /// Since when the state is what it is, RFC 3339; nil before it was first determined.
    package var since: String?
    package var uuid: String
    package var major: UInt16?
    package var minor: UInt16?
    /// How long a silence means that the beacon is gone, in seconds: as of now, where it is learned.
    package var exitAfter: Double
    /// Whether that time is learned.
    package var isLearned: Bool
    /// quick, balanced or patient: how a learned time weighs speed against being right; nil from a daemon of before there
    /// was a choice.
    package var sensitivity: String?
    /// How many exits were false of late; nil before that is known.
    package var mistakes: MistakesReport?
    /// The filtered signal in dBm that enters, and below which it is left; nil: any sighting enters, only silence leaves.
    package var enterRSSI: Int?
    package var exitRSSI: Int?
    /// Whether those two are too close for the signal's noise; nil: not seen so, or a daemon of before it was counted.
    package var flapping: FlappingReport?
    /// What tells the distance where it is not what the beacons claim: see ``MonitoredRegion``.
    package var measuredPower: Int8?
    package var pathLossExponent: Double?
    /// The beacon that keeps the region inside.
    package var beacon: BeaconReport?
    /// What the house agrees on about it; nil where the configuration names no broker.
    package var house: HouseReport?
    /// How its beacons are judged, the one heard last first; a few, where there are many.
    package var beacons: [JudgementReport]

    package init(
        identifier: String, state: String, lastKnown: String, since: String? = nil, uuid: String, major: UInt16? = nil,
        minor: UInt16? = nil, exitAfter: Double, isLearned: Bool, sensitivity: String? = nil,
        mistakes: MistakesReport? = nil, enterRSSI: Int? = nil, exitRSSI: Int? = nil, measuredPower: Int8? = nil,
        pathLossExponent: Double? = nil, beacon: BeaconReport? = nil, beacons: [JudgementReport]
    ) {
        self.identifier = identifier
        self.state = state
        self.lastKnown = lastKnown
        self.since = since
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.exitAfter = exitAfter
        self.isLearned = isLearned
        self.sensitivity = sensitivity
        self.mistakes = mistakes
        self.enterRSSI = enterRSSI
        self.exitRSSI = exitRSSI
        self.measuredPower = measuredPower
        self.pathLossExponent = pathLossExponent
        self.beacon = beacon
        self.beacons = beacons
    }
}

/// A beacon in the air, as `GET /v1/beacons` lists it.
package struct BeaconReport: Codable, Sendable, Equatable {
    package var uuid: String
    package var major: UInt16
    package var minor: UInt16
    /// The RSSI at one metre in dBm, as its maker claims it.
    package var measuredPower: Int8
    /// The last RSSI in dBm; nil when the controller could not say.
    package var rssi: Int8?
    /// The filtered signal in dBm; nil when the controller could not say.
    package var signal: Double?
    /// The estimated distance in metres, -1 when it is not known.
    package var accuracy: Double
    /// immediate, near, far or unknown.
    package var proximity: String
    /// How long ago it was last heard, in seconds.
    package var age: Double
    /// How many of its advertisements were heard.
    package var count: UInt64
    /// The regions it belongs to.
    package var regions: [String]

    package init(
        uuid: String, major: UInt16, minor: UInt16, measuredPower: Int8, rssi: Int8? = nil, accuracy: Double,
        proximity: String, age: Double, count: UInt64, regions: [String]
    ) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
        self.rssi = rssi
        self.accuracy = accuracy
        self.proximity = proximity
        self.age = age
        self.count = count
        self.regions = regions
    }
}

/// A rule for a peripheral that is kept connected, and who that is.
package struct ServiceReport: Codable, Sendable, Equatable {
    /// The rule's name; nil if it has none.
    package var identifier: String?
    /// A UUID of 4, 8 or 32 digits.
    package var service: String
    package var connected: Bool
    /// Of the peripheral that is connected.
    package var address: String?
    /// The same peripheral's name; nil if it has said none.
    package var name: String?

    package init(
        identifier: String? = nil, service: String, connected: Bool, address: String? = nil, name: String? = nil
    ) {
        self.identifier = identifier
        self.service = service
        self.connected = connected
        self.address = address
        self.name = name
    }
}

/// A prompt that waits.
package struct PromptReport: Codable, Sendable, Equatable {
    /// What to answer it by.
    package var id: String
    package var ssid: String
    package var regions: [String]
    /// Which arrival at the network it belongs to, counted from 1.
    package var arrival: Int

    package init(id: String, ssid: String, regions: [String], arrival: Int) {
        self.id = id
        self.ssid = ssid
        self.regions = regions
        self.arrival = arrival
    }
}

/// What `GET /v1/prompts` answers.
package struct PromptsReport: Codable, Sendable, Equatable {
    /// The prompts that wait for an answer.
    package var waiting: [PromptReport]
    /// The networks whose prompt was answered with never.
    package var never: [String]

    package init(waiting: [PromptReport], never: [String]) {
        self.waiting = waiting
        self.never = never
    }
}

/// The body of `POST /v1/prompts/ID`.
package struct AnswerRequest: Codable, Sendable, Equatable {
    /// join, later or never.
    package var answer: String

    package init(answer: String) {
        self.answer = answer
    }
}

/// What a route answers when it cannot do what was asked.
package struct ErrorReport: Codable, Sendable, Equatable {
    /// What happened, why, and what to do.
    package var error: String

    package init(error: String) {
        self.error = error
    }
}
