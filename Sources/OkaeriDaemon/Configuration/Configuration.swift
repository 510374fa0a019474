public import BlueZ
import IBeacon
public import RegionMonitoring
public import WiFi

/// What `beacons.json` says.
public struct Configuration: Sendable, Equatable {
    /// How much of the time is listened: a window out of every interval, in milliseconds.
    ///
    /// Half the time by default: a beacon that advertises once a second is heard within two or three seconds, and a
    /// Pi, whose Wi-Fi shares the antenna, keeps the other half.
    public struct Scan: Sendable, Equatable {
        public var interval = 100.0
        public var window = 50.0
    }

    /// What is kept over a restart.
    public struct State: Sendable, Equatable {
        /// How old it may be at a start to say where everybody is, in seconds.
        public var validFor = 900.0
    }

    /// What is remembered.
    public struct History: Sendable, Equatable {
        /// For how many days; 0: nothing.
        public var keep = 90

        public init() {}
    }

    /// A region and what is done about it.
    public struct Region: Sendable, Equatable {
        /// The beacons, and how they are watched.
        public var monitored: MonitoredRegion
        /// The network to join on arrival.
        public var network: HomeNetwork?
        /// Argument lists to be run on entry, on exit and when the region's network is asked about; empty: nothing.
        public var onEnter: [String] = []
        public var onExit: [String] = []
        public var onPrompt: [String] = []

        public var identifier: String { monitored.region.identifier }
    }

    /// A peripheral that is kept connected because of a service it has, and what is done about it.
    public struct ServiceRule: Sendable, Equatable {
        /// A name of the user's.
        public var identifier: String?
        public var service: BluetoothUUID
        /// Argument lists to be run when the peripheral is connected and disconnected; empty: nothing.
        public var onConnect: [String] = []
        public var onDisconnect: [String] = []

        /// What tells it from the other rules.
        var label: String { identifier ?? service.description }
    }

    /// Which adapter to scan with, such as `hci0`; nil: the first that is up.
    public var adapter: String?

    /// How much of the time is listened.
    public var scan = Scan()

    /// What is kept over a restart.
    public var state = State()

    /// What is remembered.
    public var history = History()

    /// Which peripherals are kept connected, in the order of the file.
    public var services: [ServiceRule] = []

    /// The regions, in the order of the file.
    public var regions: [Region]

    public init(adapter: String? = nil, regions: [Region]) {
        self.adapter = adapter
        self.regions = regions
    }

    /// What is in the file and can have no effect.
    public var notices: [String] {
        regions.enumerated().flatMap { index, region in
            let idle: [(key: String, command: [String], why: String?)] = [
                ("onEnter", region.onEnter, region.monitored.notifyOnEntry ? nil : "notifyOnEntry is false"),
                ("onExit", region.onExit, region.monitored.notifyOnExit ? nil : "notifyOnExit is false"),
                (
                    "onPrompt", region.onPrompt,
                    region.network?.join == .prompt ? nil : "the region has no wifi with \"join\": \"prompt\""
                ),
            ]
            return idle.compactMap { key, command, why -> String? in
                guard !command.isEmpty, let why else { return nil }
                return "regions[\(index)].\(key) is never run: \(why)"
            }
        }
    }
}
