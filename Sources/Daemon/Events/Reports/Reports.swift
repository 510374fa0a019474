package import HCI
import OkaeriPlumbing
package import OkaeriWiFi
package import RegionMonitoring

/// The answer of `GET /v1/status`.
package struct StatusReport: Codable, Sendable, Equatable {
    /// The time of the report, RFC 3339.
    package var time: String
    /// The source of packets: `hci0`, or the name of a capture.
    package var source: String
    /// The simulated parts: `capture`, `wifi`.
    package var simulated: [String]
    /// Whether the daemon's main loop is stuck, so that this report is outdated.
    package var stale: Bool
    package var bluetooth: Bluetooth
    package var wifi: WiFi
    package var regions: [RegionReport]
    /// The numbers of regions in each state; `nil` from a daemon of an earlier version.
    package var occupancy: Occupancy?
    package var prompts: [Prompt]
    /// The networks that are neither asked about nor joined, because a prompt was answered with never; nil if there are none.
    package var never: [String]?
    /// The prompts of each network of the configuration; `nil` without any, and from a daemon of an earlier version.
    package var networks: [NetworkPromptsReport]?
    /// The peripherals that are kept connected, a rule each; nil where the configuration names none.
    package var services: [ServiceReport]?
    package var counters: Counters
    /// The other devices in range; `nil` from a daemon of an earlier version.
    package var air: Air?
    /// The persisted state; `nil` without one.
    package var kept: Kept?
    /// The regions that the page has saved; `nil` without a state directory.
    package var saved: Saved?
    /// The state of the MQTT connection; `nil` if the configuration names no broker.
    package var mqtt: MQTT?
    /// The listeners beside the socket; `nil` without any.
    package var listeners: [ListenerReport]?
    /// The servers that are notified; `nil` without any.
    package var notifications: [NotificationReport]?
    /// The time zone of the machine, for the year before and after ``time``; `nil` from a daemon of an earlier version.
    package var offsets: [ZoneOffset]?
    /// The configuration in force; `nil` from a daemon of an earlier version.
    package var configuration: Loaded?
    /// The daemon's judgement of the rest of this report; `nil` from a daemon of an earlier version: see ``allFindings``.
    package var findings: [Finding]?

    package struct Bluetooth: Codable, Sendable, Equatable {
        package var state: BluetoothState
        package var adapter: String?
        /// The event, its reason and the remedy.
        package var reason: String
        /// The cause, as the raw value of `AdapterUpdate.Cause`; `nil` from a daemon of an earlier version.
        package var code: String?
        /// Whether the controller scans now.
        package var listening: Bool
        /// For how long it has not, in seconds; nil while it does, and before the start.
        package var pausedFor: Double?
        /// The interval and window of the scan, and the reason; `nil` before the first scan, for a capture, and from a daemon of an
        /// earlier version.
        package var scan: ScanReport?
    }

    package struct WiFi: Codable, Sendable, Equatable {
        package var managerRunning: Bool
        package var radioEnabled: Bool
        package var hardwareEnabled: Bool
        package var device: String?
        package var connectedSSID: String?
        /// The limitation of the Internet access, as the code of `wifiAccessLimited`.
        package var limitation: String?
        package var activating: Bool
        /// The reason why no device can join a network, as the code of `wifiUnavailable`.
        package var obstacle: String?
        /// The same as a sentence.
        package var reason: String?
        /// The security of the connected network, if it is weaker than WPA2.
        package var weakSecurity: String?
        /// The kind of another connection that works: `ethernet`, `mobile` or `other`.
        package var otherConnection: String?
        /// Whether the connected network is the one of a region: its arrivals have nothing to ask.
        package var isHome: Bool?
    }

    /// The other devices in the air: they distinguish an absent beacon from a deaf receiver.
    package struct Air: Codable, Sendable, Equatable {
        /// The number of devices that advertised in the last minutes, without beacons of regions; 64 at most.
        package var devices: Int
        /// Whether enough of them advertise regularly, so that a silence of all is deafness of the receiver.
        package var isRepresentative: Bool
        /// The time for which the receiver was deaf since the start, in seconds.
        package var deaf: Double

        private enum CodingKeys: String, CodingKey {
            case devices, deaf
            case isRepresentative = "isCompany"
        }

        package init(devices: Int, isRepresentative: Bool, deaf: Double) {
            self.devices = devices
            self.isRepresentative = isRepresentative
            self.deaf = deaf
        }
    }

    /// The persisted state, and its restoration at the last start.
    package struct Kept: Codable, Sendable, Equatable {
        /// The path of the file.
        package var file: String
        /// The result of the restoration at the start: restored, stale, refused or nothing.
        package var start: String
        /// The age at that time, in seconds; `nil` if it is unknown.
        package var age: Double?
        /// The same in a sentence's end.
        package var reason: String
        /// The reason why it cannot be written now, if there is one.
        package var problem: String?
        /// The reason why the history cannot be written now, if there is one.
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

    /// The file of the regions that the page has saved.
    package struct Saved: Codable, Sendable, Equatable {
        /// The path of the file.
        package var file: String
        /// The parts of it that are not used, each in a sentence; `nil` if there are none.
        package var problems: [String]?

        package init(file: String, problems: [String]? = nil) {
            self.file = file
            self.problems = problems
        }
    }

    /// The state of the MQTT connection.
    package struct MQTT: Codable, Sendable, Equatable {
        package var connected: Bool
        /// The state, its reason and the remedy.
        package var reason: String
        /// The state, as the raw value of a ``BrokerCode``; `nil` from a daemon of an earlier version.
        package var code: String?
        /// The address of the broker, such as `mqtt.lan:1883`; `nil` from a daemon of an earlier version.
        package var broker: String?
        /// The fault of a broker that is connected, with its remedy; `nil` without a fault.
        package var problem: String?
        /// The time since which it is connected, or is not, RFC 3339; `nil` from a daemon of an earlier version.
        package var since: String?
        /// The last reason for which a connection ended or failed, also while it is connected again; `nil` if none did.
        package var lastError: String?
        /// The time of ``lastError``, RFC 3339.
        package var lastErrorTime: String?
        /// Whether the broker accepts messages of clients without a login; `nil` while that is not known.
        package var open: Bool?
        /// Whether the daemon reaches the broker on this machine; `nil` from a daemon of an earlier version.
        package var local: Bool?

        package init(
            connected: Bool, reason: String, code: BrokerCode? = nil, broker: String? = nil, problem: String? = nil,
            since: String? = nil, lastError: String? = nil, lastErrorTime: String? = nil, open: Bool? = nil,
            local: Bool? = nil
        ) {
            self.connected = connected
            self.reason = reason
            (self.code, self.broker) = (code?.rawValue, broker)
            self.problem = problem
            self.since = since
            self.lastError = lastError
            self.lastErrorTime = lastErrorTime
            (self.open, self.local) = (open, local)
        }
    }

    /// The configuration in force, and the attempts to read it again.
    package struct Loaded: Codable, Sendable, Equatable {
        /// A change that takes effect at the next start.
        package struct Pending: Codable, Sendable, Equatable {
            /// The key, such as `history.keep`.
            package var key: String
            /// The effect until then.
            package var reason: String

            package init(key: String, reason: String) {
                self.key = key
                self.reason = reason
            }
        }

        /// The path of the file.
        package var file: String
        /// The time at which it was read, RFC 3339.
        package var time: String
        /// The reason why the last attempt to read it again failed; the former configuration stays in force. `nil` if it did not
        /// fail.
        package var problem: String?
        /// The changes that wait for a restart; `nil` if there are none.
        package var restart: [Pending]?

        package init(file: String, time: String, problem: String? = nil, restart: [Pending]? = nil) {
            self.file = file
            self.time = time
            self.problem = problem
            self.restart = restart
        }
    }

    /// The numbers of packets since the start.
    package struct Counters: Codable, Sendable, Equatable {
        /// LE advertising reports of whatever content.
        package var reports: UInt64
        /// Those that were iBeacons.
        package var iBeacons: UInt64
        /// Events that were cut or otherwise unsound.
        package var malformed: UInt64
        /// Packets that the kernel dropped because they were not fetched in time.
        package var dropped: UInt64
        /// The number of times that the scan began again, for any reason; `nil` from a daemon of an earlier version.
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
        air: Air? = nil, kept: Kept? = nil, mqtt: MQTT? = nil, listeners: [ListenerReport]? = nil,
        offsets: [ZoneOffset]? = nil, configuration: Loaded? = nil
    ) {
        self.time = time
        self.source = source
        self.simulated = simulated
        self.stale = stale
        self.bluetooth = bluetooth
        self.wifi = wifi
        self.regions = regions
        occupancy = Occupancy(regions)
        self.prompts = prompts.waiting
        never = prompts.never.isEmpty ? nil : prompts.never
        self.services = services
        self.counters = counters
        self.air = air
        self.kept = kept
        self.mqtt = mqtt
        self.listeners = listeners
        self.offsets = offsets
        self.configuration = configuration
    }
}

/// A region, as `GET /v1/regions` lists it.
package struct RegionReport: Codable, Sendable, Equatable {
    package var identifier: String
    package var state: RegionState
    /// The last state that was known.
    package var lastKnown: RegionState
    /// Since when the state is what it is, RFC 3339; nil before it was first determined.
    package var since: String?
    /// Its beacons; `nil` for a region with several signs.
    package var uuid: String?
    package var major: UInt16?
    package var minor: UInt16?
    /// The bits of the three that count; `nil` if all do.
    package var mask: MaskReport?
    /// The silence after which the beacon counts as gone, in seconds: the present one, if it is learned; of several signs the longest.
    package var exitAfter: Double
    /// Whether that time is learned.
    package var isLearned: Bool
    /// quick, balanced or patient: how a learned time weighs speed against being right; nil from a daemon from before there
    /// was a choice.
    package var sensitivity: String?
    /// The number of recent false exits; `nil` before that is known.
    package var mistakes: MistakesReport?
    /// The filtered signal in dBm that enters, and below which it is left; nil: any advertisement causes an entry, and only silence an exit.
    package var enterRSSI: Int?
    package var exitRSSI: Int?
    /// Whether those two are too close for the signal's noise; nil: not seen so, or a daemon from before it was counted.
    package var flapping: FlappingReport?
    /// The values that give the distance instead of the beacons' own: see ``MonitoredRegion``.
    package var measuredPower: Int8?
    package var pathLossExponent: Double?
    /// Its signs, with their own settings, which the region then does not have; `nil` for a region with one.
    package var signs: [SignReport]?
    /// The beacon that keeps the region inside.
    package var beacon: BeaconReport?
    /// The lowest battery level of its beacons; `nil` if none sends a level.
    package var battery: BatteryReport?
    /// The agreed state of the house; `nil` if the configuration names no broker.
    package var house: HouseReport?
    /// The file of the region, if the page has saved it or has changed one of beacons.json; `nil` for the others.
    package var saved: String?
    /// The judgements of its beacons, the one received last first; a few, if there are many. Sign by sign.
    package var beacons: [JudgementReport]
}

/// A sign of a region with several signs, as `GET /v1/regions` lists it.
package struct SignReport: Codable, Sendable, Equatable {
    package var state: RegionState
    package var uuid: String?
    package var major: UInt16?
    package var minor: UInt16?
    /// The bits of the three that count; `nil` if all do.
    package var mask: MaskReport?
    /// The name of the phone, without the folder and the suffix of the key file; `nil` for beacons.
    package var phone: String?
    /// The silence after which the sign counts as gone, in seconds: the present one, if it is learned.
    package var exitAfter: Double
    /// Whether that time is learned.
    package var isLearned: Bool
    /// quick, balanced or patient.
    package var sensitivity: String?
    /// The filtered signal in dBm that enters, and below which the sign is left; `nil`: any advertisement causes an entry, and only silence an exit.
    package var enterRSSI: Int?
    package var exitRSSI: Int?
    /// The values that give the distance instead of the beacons' own.
    package var measuredPower: Int8?
    package var pathLossExponent: Double?
}

/// A beacon in the air, as `GET /v1/beacons` lists it.
package struct BeaconReport: Codable, Sendable, Equatable {
    package var uuid: String
    package var major: UInt16
    package var minor: UInt16
    /// The RSSI at one metre in dBm, as its maker claims it; `nil` if the advertisement has no such value.
    package var measuredPower: Int8?
    /// The last RSSI in dBm; `nil` if the controller has no value.
    package var rssi: Int8?
    /// The filtered signal in dBm; `nil` if the controller has no value.
    package var signal: Double?
    /// The estimated distance in metres, -1 when it is not known.
    package var accuracy: Double
    /// immediate, near, far or unknown.
    package var proximity: String
    /// The time since the last reception, in seconds.
    package var age: Double
    /// The number of received advertisements.
    package var count: UInt64
    /// The regions it belongs to.
    package var regions: [String]
    /// The number of devices that send this identity; `nil` for one.
    package var transmitters: Int?
    /// The mask that a region of the beacon needs, because its identity changes; `nil` if it does not.
    package var proposedMask: MaskReport?
}

/// A rule for a peripheral that is kept connected, with the present peripheral.
package struct ServiceReport: Codable, Sendable, Equatable {
    /// The rule's name; nil if it has none.
    package var identifier: String?
    /// A UUID of 4, 8 or 32 digits.
    package var service: String
    package var connected: Bool
    /// Of the peripheral that is connected.
    package var address: String?
    /// The same peripheral's name; `nil` if it has none.
    package var name: String?
    /// The last reported reason why a peripheral cannot be connected; `nil` since one is connected.
    package var reason: String?

    package init(
        identifier: String? = nil, service: String, connected: Bool, address: String? = nil, name: String? = nil,
        reason: String? = nil
    ) {
        self.reason = reason
        self.identifier = identifier
        self.service = service
        self.connected = connected
        self.address = address
        self.name = name
    }
}

/// The answer of `GET /v1/prompts`.
package struct PromptsReport: Codable, Sendable, Equatable {
    /// The prompts that wait for an answer.
    package var waiting: [Prompt]
    /// The networks whose prompt was answered with never.
    package var never: [String]

    package init(waiting: [Prompt], never: [String]) {
        self.waiting = waiting
        self.never = never
    }
}

/// The body of `POST /v1/prompts/ID`.
package struct AnswerRequest: Codable, Sendable, Equatable {
    package var answer: PromptAnswer

    package init(answer: PromptAnswer) {
        self.answer = answer
    }
}

/// The answer of a route that fails.
package struct ErrorReport: Codable, Sendable, Equatable {
    /// The failure, its reason and the remedy.
    package var error: String

    package init(error: String) {
        self.error = error
    }
}

/// The prompts of a network of the configuration, and the cool-down that delays its next one.
package struct NetworkPromptsReport: Codable, Sendable, Equatable {
    package var ssid: String
    /// The number of prompts in this run of the daemon.
    package var prompts: Int
    /// The time until which no prompt comes, RFC 3339; `nil` if nothing delays one, or this machine is connected to the network.
    package var coolDownUntil: String?
    /// The reason for that: `recentOffer`, `failure`, `lostConnection` or `restart`.
    package var coolDownCode: String?
    /// The same as a sentence.
    package var coolDownReason: String?

    package init(ssid: String, prompts: Int) {
        (self.ssid, self.prompts) = (ssid, prompts)
    }
}
