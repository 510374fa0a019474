package import BlueZ
package import HCI
import IBeacon
package import OkaeriEvents
package import OkaeriPlumbing
package import OkaeriWiFi
package import RegionMonitoring

/// The content of `beacons.json`.
package struct Configuration: Sendable, Equatable {
    /// The persisted state.
    package struct State: Sendable, Equatable {
        /// The age up to which the state at a start is valid, in seconds.
        package var validFor = 900.0
    }

    /// The history.
    package struct History: Sendable, Equatable {
        /// For how many days; 0: nothing.
        package var keep = 90

        package init() {}
    }

    /// The source of a region's hooks.
    package enum Scope: String, Sendable, Equatable, CaseIterable {
        /// At once.
        case node
        /// As soon as the room of an arrival is known.
        case house
    }

    /// A region and what is done about it.
    package struct Region: Sendable, Equatable {
        /// The beacons, and how they are watched.
        package var monitored: MonitoredRegion
        /// The network to join on arrival.
        package var network: HomeNetwork?
        /// Whether the page shows the network's QR code while the region is inside.
        package var showsNetwork = false
        /// Argument lists to be run on entry, on exit and when the region's network is asked about; empty: nothing.
        package var onEnter: [String] = []
        package var onExit: [String] = []
        package var onPrompt: [String] = []
        /// The source of the enter and exit events for ``onEnter`` and ``onExit``.
        package var scope = Scope.node

        package var identifier: String { monitored.identifier }

        /// Whether a region may be called so: identifiers reach terminals, logs, tables and pictures.
        package static func isIdentifier(_ name: String) -> Bool { name.isName }

        /// Whether the region runs commands.
        package var hasCommands: Bool { !(onEnter.isEmpty && onExit.isEmpty && onPrompt.isEmpty) }

        /// Returns whether the region means the same beacons and phones as another one.
        package func hasSameSigns(as other: Region) -> Bool {
            Set(monitored.signs.map(\.identity)) == Set(other.monitored.signs.map(\.identity))
        }

        /// Its description in an error message.
        package static let expectedIdentifier =
            "a name that can be read, without control characters, spaces at its ends and a hyphen at its beginning"
    }

    /// The commands for the whole home.
    package struct House: Sendable, Equatable {
        /// Argument lists to be run when the first region becomes inside, and when the last one becomes outside; empty: nothing.
        package var onOccupied: [String] = []
        package var onEmpty: [String] = []

        package init(onOccupied: [String] = [], onEmpty: [String] = []) {
            (self.onOccupied, self.onEmpty) = (onOccupied, onEmpty)
        }
    }

    /// A peripheral that is kept connected because of a service it has, and what is done about it.
    package struct ServiceRule: Sendable, Equatable {
        /// A name of the user's.
        package var identifier: String?
        package var service: BluetoothUUID
        /// Argument lists to be run when the peripheral is connected and disconnected; empty: nothing.
        package var onConnect: [String] = []
        package var onDisconnect: [String] = []

        /// The name that distinguishes it from the other rules.
        package var label: String { identifier ?? service.description }
    }

    /// The adapter to scan with, such as `hci0`; `nil`: the first that is up.
    package var adapter: String?

    /// The choice of the scan interval and window.
    package var scan = ScanSetting.automatic()

    /// The persisted state.
    package var state = State()

    /// The history.
    package var history = History()

    /// The rules for peripherals that are kept connected, in the order of the file.
    package var services: [ServiceRule] = []

    /// The commands for the whole home.
    package var house = House()

    /// The broker; nil: there is none, and nothing of MQTT runs.
    package var mqtt: MQTT?

    /// Whether this machine is a radio of a house whose regions are configured elsewhere.
    package var isReceiver = false
    /// Whether it is a receiver that decides for the house while no hub does.
    package var isStandby = false

    /// The receivers of other makes, in the order of the file.
    package var receivers: [Receivers] = []

    /// The page; nil: there is none, and no port.
    package var web: Web?
    /// The TCP address of the metrics; `nil`: none.
    package var metrics: ListenAddress?

    /// The servers that are notified, in the order of the file.
    package var notify: [NotificationTarget] = []

    /// This machine, among several in a house.
    package var node = Node()

    /// The nodes whose captures are replayed together, by name.
    package var nodes: [String: Node] = [:]

    /// The regions, in the order of the file.
    package var regions: [Region]

    /// The identities of the regions' phones, by their key files; empty before ``readIdentities(file:)``.
    package var identities: [String: DeviceIdentity] = [:]

    /// The kind of this machine in a house.
    package var kind: NodeKind { isStandby ? .standby : isReceiver ? .receiver : .hub }

    /// The notice about a configuration as the package installs it.
    static var noRegion: String { "it has no region, so no beacon is watched; \(Remedy.setup().order())" }

    package init(adapter: String? = nil, regions: [Region]) {
        self.adapter = adapter
        self.regions = regions
    }

    /// The settings in the file that have no effect while a capture stands in for the adapter.
    package var noticesOfCapture: [String] {
        services.isEmpty ? [] : ["services is ignored: a capture has no devices to connect"]
    }

    /// The settings in the file that have no effect, and the absence of regions.
    package var notices: [String] {
        guard !regions.isEmpty else { return services.isEmpty && kind == .hub ? [Self.noRegion] : [] }
        return unknownRegionsToNotify
            + regions.enumerated().flatMap { index, region in
                let houseless =
                    region.scope == .house && mqtt == nil
                    ? "its scope is the house, which needs \"mqtt\"; see /usr/share/doc/okaeri/several-pis.md" : nil
                let idle: [(key: String, command: [String], why: String?)] = [
                    ("onEnter", region.onEnter, region.monitored.notifyOnEntry ? houseless : "notifyOnEntry is false"),
                    ("onExit", region.onExit, region.monitored.notifyOnExit ? houseless : "notifyOnExit is false"),
                    (
                        "onPrompt", region.onPrompt,
                        region.network?.join.asks == true
                            ? nil : "the region has no wifi with \"join\": \"prompt\" or \"once\""
                    ),
                ]
                return idle.compactMap { key, command, why -> String? in
                    guard !command.isEmpty, let why else { return nil }
                    return "regions[\(index)].\(key) is never run: \(why) (region \"\(region.identifier)\")"
                }
            }
    }
}
