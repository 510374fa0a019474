// swift-tools-version: 6.2
import PackageDescription

/// The settings without the rule that each file imports what it uses. The `lenientSuites` use socket addresses and the status of files,
/// which Glibc and a module of another package both have: the module that the compiler demands depends on the order in which it loads
/// them.
let lenient: [SwiftSetting] =
    ["ExistentialAny", "InternalImportsByDefault"].map { .enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]

/// The settings of every other target: warnings are errors, `any` is spelled out, each file imports what it uses.
let house: [SwiftSetting] = lenient + [.enableUpcomingFeature("MemberImportVisibility")]

let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

/// The settings of targets that parse input from outside: every unsafe construct is marked.
let core = house + [.strictMemorySafety()] + lifetimes

/// The commit that `okaeri --version` prints; scripts/package sets it.
let commit = Context.environment["OKAERI_COMMIT"].map { [CSetting.define("OKAERI_COMMIT", to: "\"\($0)\"")] } ?? []

/// Packed relocations save 1.7 MB and start-up time; gold cannot pack them. The symbols for plug-ins are another 2.6 MB. The linker is
/// lld with an option before the libraries: those that CLibraries loads on demand are not loaded at the start.
let smallBinary: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-ld-path=\(Context.packageDirectory)/packaging/lld", "-Xlinker", "-z", "-Xlinker",
            "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
        ], .when(platforms: [.linux]))
]

/// The packages, with their used products.
let packages = [
    "hummingbird": ["Hummingbird", "HummingbirdCore"], "swift-argument-parser": ["ArgumentParser"],
    "swift-http-types": ["HTTPTypes"], "swift-log": ["Logging"],
    "swift-nio": ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix"],
    "swift-service-lifecycle": ["ServiceLifecycle", "ServiceLifecycleTestKit", "UnixSignals"],
    "swift-subprocess": ["Subprocess"], "swift-system": ["SystemPackage"],
]

/// The products for other packages, each with the target of its name.
let libraries = ["IBeacon", "HCI", "RegionMonitoring", "BeaconLocation", "BlueZ"]

/// The name of the target in a folder. The names of targets must be unique in all packages of a program: every target but the
/// libraries and the programs has the prefix `Okaeri`, or `COkaeri` instead of `C`.
func unique(_ folder: String) -> String {
    if libraries.contains(folder) || ["Okaeri", "COkaeri"].contains(where: folder.hasPrefix) { return folder }
    let isC = folder.hasPrefix("C") && folder.dropFirst().first?.isUppercase == true
    return isC ? "COkaeri" + folder.dropFirst() : "Okaeri" + folder
}

func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { name in
        packages.first { $1.contains(name) }.map { .product(name: name, package: $0.key) }
            ?? .byName(name: unique(name))
    }
}

/// The target of a folder. Every one but Plumbing itself depends on Plumbing.
func module(
    _ path: String, in root: String = "Sources", _ names: [String], _ settings: [SwiftSetting] = house,
    exclude: [String] = [], linker: [LinkerSetting] = []
) -> Target {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return .target(
        name: unique(name),
        dependencies: dependencies(name == "Plumbing" || root == "Tests" ? names : names + ["Plumbing"]),
        path: "\(root)/\(path)", exclude: exclude, swiftSettings: settings, linkerSettings: linker
    )
}

func program(
    _ name: String, in folder: String, _ names: [String], _ settings: [SwiftSetting] = house, exclude: [String] = [],
    linker: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies(names), path: folder, exclude: exclude, swiftSettings: settings,
        linkerSettings: linker)
}

func library(_ folder: String, pkgConfig: String? = nil, apt package: String) -> Target {
    .systemLibrary(
        name: unique(folder), path: "Sources/C/\(folder)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

let targets = [
    // C libraries
    library("CBluetooth", apt: "libbluetooth-dev"),
    library("CGIO", pkgConfig: "gio-2.0", apt: "libglib2.0-dev"),
    library("CMosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
    library("CNetworkManager", pkgConfig: "libnm", apt: "libnm-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    // It is linked statically, by the name of the archive in its module map, so that no installation needs the library.
    library("CSodium", apt: "libsodium-dev"),
    library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    .target(name: "COkaeri", path: "Sources/C/COkaeri", cSettings: commit),
    .target(name: unique("CLibraries"), path: "Sources/C/CLibraries"),
    .target(name: unique("CPage"), path: "Sources/C/CPage"),

    // Core
    module("Core/Plumbing", [], core),
    module("Core/IBeacon", [], core),
    module("Core/HCI", [], core),
    module(
        "Core/RegionMonitoring", ["IBeacon"], core,
        linker: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    module("Core/Rooms", ["RegionMonitoring"], core),
    module("Core/Receivers", ["HCI", "IBeacon"], core),

    // Platform
    module("Platform/Bluetooth", ["CBluetooth", "HCI"], core),
    module("Platform/Checksum", ["CZlib"]),
    module("Platform/DBus", ["CGIO"]),
    module("Platform/Encryption", ["CSodium"]),
    module("Platform/BlueZ", ["DBus"]),
    module("Platform/WiFi", []),
    module("Platform/NetworkManager", ["CGIO", "CNetworkManager", "DBus", "WiFi"]),
    module("Platform/MQTT", ["CMosquitto"]),

    // Library
    module(
        "Library/Presence", ["Bluetooth", "Checksum", "HCI", "IBeacon", "RegionMonitoring", "SystemPackage"],
        house + lifetimes),
    module(
        "Library/BeaconLocation", ["Bluetooth", "HCI", "IBeacon", "Presence", "RegionMonitoring"], core),

    // Daemon
    module("Daemon/Events", ["Rooms", "HCI", "IBeacon", "RegionMonitoring", "WiFi"]),
    module(
        "Daemon/OkaeriConfiguration",
        [
            "BlueZ", "COkaeri", "Events", "HCI", "IBeacon", "MQTT", "Receivers", "RegionMonitoring", "SystemPackage",
            "WiFi",
        ]),
    module(
        "Daemon/Listening",
        [
            "Rooms", "Bluetooth", "Events", "HCI", "House", "IBeacon", "Logging", "OkaeriConfiguration", "Presence",
            "RegionMonitoring", "ServiceLifecycle", "SystemPackage", "UnixSignals",
        ]),
    module(
        "Daemon/House",
        [
            "Events", "HCI", "IBeacon", "MQTT", "Presence", "Receivers", "RegionMonitoring", "Rooms",
            "ServiceLifecycle",
        ]),
    module(
        "Daemon/Automation",
        [
            "Rooms", "BlueZ", "COkaeri", "Events", "HCI", "IBeacon", "Logging", "OkaeriConfiguration",
            "RegionMonitoring", "ServiceLifecycle", "Subprocess", "SystemPackage", "WiFi",
        ]),
    module(
        "Daemon/History",
        ["CSQLite", "Events", "Logging", "OkaeriConfiguration", "RegionMonitoring", "SystemPackage"]),
    module(
        "Daemon/Server",
        [
            "CPage", "Checksum", "COkaeri", "Events", "HCI", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging",
            "NIOCore", "NIOHTTP1", "NIOPosix", "RegionMonitoring", "ServiceLifecycle", "WiFi",
        ], exclude: ["Web/Page"]),
    module("Daemon/Systemd", ["Events", "HCI", "Logging", "ServiceLifecycle"]),
    module(
        "Daemon/Client", ["Events", "NIOCore", "NIOHTTP1", "NIOPosix", "RegionMonitoring", "WiFi"]),
    module(
        "Daemon/OkaeriDaemon",
        [
            "Automation", "BlueZ", "Bluetooth", "Checksum", "Client", "DBus", "Encryption", "Events", "HCI",
            "HTTPTypes", "History", "House", "IBeacon", "Listening", "Logging", "MQTT", "NIOPosix", "NetworkManager",
            "OkaeriConfiguration", "Presence", "Receivers", "RegionMonitoring", "Server", "ServiceLifecycle",
            "SystemPackage", "Systemd", "UnixSignals", "WiFi",
        ]),

    // Programs
    program(
        "okaeri", in: "Sources/Programs/okaeri",
        [
            "Agent", "ArgumentParser", "BlueZ", "Bluetooth", "CLibraries", "COkaeri", "Client", "Encryption", "Events",
            "HCI", "History", "House", "IBeacon", "Listening", "Logging", "MQTT", "NetworkManager",
            "OkaeriConfiguration", "OkaeriDaemon", "Plumbing", "Presence", "Receivers", "RegionMonitoring", "Server",
            "ServiceLifecycle", "Setup", "SystemPackage", "Systemd", "UnixSignals", "WiFi",
        ], linker: smallBinary),
    module(
        "Programs/Agent",
        [
            "BlueZ", "Checksum", "Client", "DBus", "Events", "HCI", "Logging", "RegionMonitoring", "ServiceLifecycle",
            "UnixSignals", "WiFi",
        ]),
    module(
        "Programs/Setup",
        [
            "Bluetooth", "Checksum", "Client", "DBus", "Encryption", "Events", "History", "IBeacon", "Listening",
            "MQTT", "NetworkManager", "OkaeriConfiguration", "Receivers", "RegionMonitoring", "Subprocess",
            "SystemPackage", "WiFi",
        ]),

    // Lab
    module("Lab/ControllerEmulation", ["HCI", "IBeacon"]),
    program(
        "VirtualController", in: "Sources/Lab/VirtualController",
        ["ArgumentParser", "ControllerEmulation", "HCI", "Plumbing"], exclude: ["README.md"]),

    // Examples, benchmarks and tests
    program("WatchRegion", in: "Examples/WatchRegion", ["BeaconLocation"]),
    program("LocateBeacon", in: "Examples/LocateBeacon", ["BeaconLocation"]),
    program("RequestPermission", in: "Examples/RequestPermission", ["BeaconLocation"]),
    program("ReadBattery", in: "Examples/ReadBattery", ["BlueZ"]),
    program("ServeValues", in: "Examples/ServeValues", ["BlueZ"]),
    .target(name: unique("CAllocations"), path: "Benchmarks/Speed/CAllocations"),
    program(
        "SpeedBenchmark", in: "Benchmarks/Speed/Harness",
        [
            "Bluetooth", "CAllocations", "Events", "Listening", "Logging", "OkaeriConfiguration", "OkaeriDaemon",
            "Plumbing", "Presence", "RegionMonitoring", "SystemPackage",
        ], house + lifetimes),
    program(
        "ScanBenchmark", in: "Benchmarks/Scan/Harness",
        ["Bluetooth", "ControllerEmulation", "HCI", "IBeacon", "Plumbing", "Presence", "RegionMonitoring"],
        house + lifetimes),
    module("TestSupport", in: "Tests", ["DBus", "Logging", "Plumbing"], exclude: ["BlueZ/bluez.py"]),
    module(
        "DaemonTestSupport", in: "Tests",
        [
            "Automation", "Events", "HCI", "History", "IBeacon", "Plumbing", "Presence", "RegionMonitoring",
            "TestSupport", "WiFi",
        ], exclude: ["Persisted"]),
]

let package = Package(
    name: "okaeri",
    products: [
        .executable(name: "okaeri", targets: ["okaeri"]),
        .executable(name: "virtual-controller", targets: ["VirtualController"]),
    ] + libraries.map { .library(name: $0, targets: [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: targets
)

let lenientSuites = ["OkaeriDaemonTests", "ServerTests"]

/// Files of tests that are not sources.
let excluded = [
    "AgentTests": ["Support/desktop.py"], "HistoryTests": ["Support/torture.py"],
    "WiFiTests": ["Support/bench.py", "Support/networkmanager.py"], "okaeriTests": ["Messages/Messages.txt"],
]

/// The test targets, each with its target and further dependencies. Tests depend on all that their target depends on.
let suites: [(String, of: String, [String])] = [
    ("APITests", "Events", ["DaemonTestSupport", "OkaeriDaemon"]),
    ("AgentTests", "Agent", ["Bluetooth", "OkaeriConfiguration", "OkaeriDaemon", "ServiceLifecycleTestKit"]),
    ("RoomsTests", "Rooms", []),
    ("BeaconLocationTests", "BeaconLocation", []),
    ("BlueZTests", "BlueZ", ["Bluetooth"]),
    ("BluetoothTests", "Bluetooth", []),
    ("BrokerTests", "House", []),
    ("ChecksumTests", "Checksum", []),
    ("ClientTests", "Client", ["DaemonTestSupport", "OkaeriConfiguration", "OkaeriDaemon"]),
    ("ConfigurationEditorTests", "OkaeriConfiguration", []),
    ("DBusTests", "DBus", []),
    ("DoctorTests", "Setup", ["DaemonTestSupport"]),
    ("EncryptionTests", "Encryption", []),
    ("EventsTests", "Events", ["DaemonTestSupport"]),
    ("GATTStatusTests", "Agent", []),
    ("HCITests", "HCI", []),
    ("HistoryTests", "History", ["Rooms", "DaemonTestSupport", "HCI", "IBeacon", "Listening", "WiFi"]),
    ("HomeAssistantTests", "House", []),
    ("ArrivalJoinTests", "Automation", ["DaemonTestSupport"]),
    ("HooksTests", "Automation", ["DaemonTestSupport"]),
    ("IBeaconTests", "IBeacon", []),
    ("ListeningTests", "Listening", ["DaemonTestSupport", "History"]),
    ("MQTTTests", "MQTT", []),
    ("NotificationsTests", "Automation", ["DaemonTestSupport"]),
    ("OkaeriConfigurationTests", "OkaeriConfiguration", ["DaemonTestSupport"]),
    ("OkaeriDaemonTests", "OkaeriDaemon", ["DaemonTestSupport", "Hummingbird", "NIOCore", "NIOEmbedded"]),
    ("OpenMetricsTests", "Server", ["Rooms", "DaemonTestSupport"]),
    ("PageDataTests", "OkaeriDaemon", []),
    ("PlumbingTests", "Plumbing", []),
    ("PresenceTests", "Presence", ["DaemonTestSupport", "OkaeriConfiguration"]),
    ("ReceiversTests", "Receivers", []),
    ("RegionMonitoringTests", "RegionMonitoring", []),
    ("ServerTests", "Server", ["Client", "DaemonTestSupport", "IBeacon", "NIOEmbedded"]),
    ("ServiceWatchTests", "Automation", ["OkaeriDaemon"]),
    ("SetupTests", "Setup", []),
    ("StateTests", "OkaeriDaemon", ["DaemonTestSupport"]),
    ("SystemdTests", "Systemd", ["DaemonTestSupport", "RegionMonitoring"]),
    ("VirtualControllerTests", "VirtualController", []),
    ("WebTests", "Server", []),
    ("WiFiTests", "NetworkManager", []),
    ("okaeriTests", "okaeri", ["Automation", "Checksum", "DBus", "DaemonTestSupport"]),
]

func dependencies(of name: String, in package: Package) -> [Target.Dependency] {
    package.targets.first { $0.name == name || $0.name == unique(name) }
        .map { [.byName(name: $0.name)] + $0.dependencies } ?? []
}

package.targets += suites.map { name, subject, names in
    .testTarget(
        name: name, dependencies: dependencies(of: subject, in: package) + dependencies(names + ["TestSupport"]),
        exclude: excluded[name] ?? [], swiftSettings: lenientSuites.contains(name) ? lenient : house)
}

/// The targets that `scripts/fuzz` builds, with their sanitizers.
if Context.environment["OKAERI_FUZZ"] != nil {
    let subjects: [(String, of: String, [String])] = [
        ("Backup", "Setup", []),
        ("Broker", "House", []),
        ("Captures", "HCI", []),
        ("Configuration", "OkaeriConfiguration", []),
        ("Cookies", "Server", []),
        ("DBusValues", "DBus", []),
        ("Edits", "OkaeriDaemon", []),
        ("Encryption", "Encryption", []),
        ("HCI", "HCI", ["IBeacon"]),
        ("HTTP", "Server", ["NIOEmbedded"]),
        ("IBeacon", "IBeacon", []),
        ("Phones", "House", []),
        ("Queries", "OkaeriDaemon", ["Hummingbird", "NIOCore", "NIOEmbedded"]),
        ("Receivers", "House", []),
        ("Reports", "Client", []),
        ("State", "OkaeriDaemon", []),
    ]
    package.targets.append(.target(name: unique("FuzzSupport"), path: "Fuzz/Support", swiftSettings: house))
    package.targets += subjects.map { name, subject, names in
        .executableTarget(
            name: "Fuzz\(name)",
            dependencies: dependencies(of: subject, in: package) + dependencies(names + ["FuzzSupport"]),
            path: "Fuzz/\(name)", swiftSettings: house + [.unsafeFlags(["-parse-as-library"])])
    }
}
