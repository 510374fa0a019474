// swift-tools-version: 6.2
import PackageDescription

/// Every target: warnings are errors, `any` is spelled out, imports are what they say.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The core rooms parse what strangers send: every unsafe construct is marked, spans have lifetimes.
let core = house + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]

/// What `okaeri --version` tells; scripts/package sets it. Another commit compiles one small file anew.
let commit = Context.environment["OKAERI_COMMIT"].map { [CSetting.define("OKAERI_COMMIT", to: "\"\($0)\"")] } ?? []

let brokerParts: [Target.Dependency] = [
    "Agreement", "Broker", "Events", "HomeAssistant", "IBeacon", "MQTT", "Plumbing", "RegionMonitoring",
]

let package = Package(
    name: "okaeri",
    products: [
        .executable(name: "okaeri", targets: ["okaeri"]),
        .executable(name: "virtual-controller", targets: ["VirtualController"]),
        .library(name: "IBeacon", targets: ["IBeacon"]),
        .library(name: "HCI", targets: ["HCI"]),
        .library(name: "RegionMonitoring", targets: ["RegionMonitoring"]),
        .library(name: "BeaconLocation", targets: ["BeaconLocation"]),
        .library(name: "BlueZ", targets: ["BlueZ"]),
    ],
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
    targets: [
        .target(name: "Plumbing", swiftSettings: core),
        .target(name: "IBeacon", dependencies: ["Plumbing"], swiftSettings: core),
        .target(name: "HCI", dependencies: ["Plumbing"], swiftSettings: core),
        .target(
            name: "RegionMonitoring", dependencies: ["IBeacon", "Plumbing"], swiftSettings: core,
            // The standard library rounds by it, and links it only for who imports Glibc.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        .target(name: "Agreement", dependencies: ["Plumbing", "RegionMonitoring"], swiftSettings: core),
        .target(
            name: "Web", dependencies: ["Plumbing"], resources: [.embedInCode("Page")], swiftSettings: core),

        .systemLibrary(name: "CBluetooth", providers: [.apt(["libbluetooth-dev"])]),  // its headers, not the library
        .target(name: "Bluetooth", dependencies: ["HCI", "CBluetooth", "Plumbing"], swiftSettings: core),
        .target(
            name: "Presence",
            dependencies: [
                "Bluetooth", "HCI", "IBeacon", "Plumbing", "RegionMonitoring",
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),
        .target(
            name: "BeaconLocation",
            dependencies: ["Bluetooth", "HCI", "IBeacon", "Plumbing", "Presence", "RegionMonitoring"],
            swiftSettings: core),
        .executableTarget(
            name: "WatchRegion", dependencies: ["BeaconLocation"], path: "Examples/WatchRegion", swiftSettings: house),

        .systemLibrary(name: "CGIO", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .target(name: "GLib", dependencies: ["CGIO"], swiftSettings: house),
        .target(name: "DBus", dependencies: ["CGIO", "GLib", "Plumbing"], swiftSettings: house),
        .systemLibrary(
            name: "CNetworkManager", pkgConfig: "libnm", providers: [.apt(["libnm-dev"])]),
        .target(name: "WiFi", dependencies: ["Plumbing"], swiftSettings: house),
        .target(
            name: "NetworkManager", dependencies: ["CGIO", "CNetworkManager", "GLib", "Plumbing", "WiFi"],
            swiftSettings: house),

        .target(name: "BlueZMachines", dependencies: ["DBus", "Plumbing"], swiftSettings: house),
        .target(name: "BlueZ", dependencies: ["BlueZMachines", "DBus", "Plumbing"], swiftSettings: house),
        .executableTarget(
            name: "ReadBattery", dependencies: ["BlueZ"], path: "Examples/ReadBattery", swiftSettings: house),

        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(name: "MQTT", dependencies: ["CMosquitto", "Plumbing"], swiftSettings: house),

        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "Events", dependencies: ["Agreement", "IBeacon", "Plumbing", "RegionMonitoring"],
            swiftSettings: house),
        .target(name: "HomeAssistant", dependencies: ["Events", "Plumbing"], swiftSettings: house),
        .target(
            name: "OkaeriConfiguration",
            dependencies: [
                "BlueZ", "HCI", "IBeacon", "Plumbing", "RegionMonitoring", "WiFi",
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .target(
            name: "ConfigurationEditor",
            dependencies: [
                "Events", "IBeacon", "OkaeriConfiguration", "Plumbing", "WiFi",
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .target(
            name: "Broker",
            dependencies: [
                "Agreement", "Events", "HomeAssistant", "IBeacon", "MQTT", "Plumbing", "RegionMonitoring",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "API", dependencies: ["Events", "IBeacon", "Plumbing", "RegionMonitoring"], swiftSettings: house),
        .target(name: "OpenMetrics", dependencies: ["API", "Events", "WiFi"], swiftSettings: house),
        .target(
            name: "Client",
            dependencies: [
                "API", "Events", "Plumbing", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: house),
        .target(
            name: "Server",
            dependencies: [
                "API", "Events", "OpenMetrics", "Plumbing", "Web",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "PageData",
            dependencies: [
                "API", "ConfigurationEditor", "Events", "History", "OkaeriConfiguration", "Plumbing", "Server", "WiFi",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: house),
        .target(
            name: "ThreadService",
            dependencies: ["Plumbing", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")],
            swiftSettings: house),
        .target(
            name: "Hooks",
            dependencies: [
                "Agreement", "Events", "IBeacon", "OkaeriConfiguration", "RegionMonitoring", "WiFi",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .target(
            name: "Homecoming",
            dependencies: [
                "Events", "OkaeriConfiguration", "Plumbing", "RegionMonitoring", "WiFi",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "ServiceWatch",
            dependencies: [
                "BlueZ", "Events", "OkaeriConfiguration", "Plumbing",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "State",
            dependencies: [
                "Events", "OkaeriConfiguration", "Plumbing", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .target(
            name: "History",
            dependencies: [
                "CSQLite", "Events", "OkaeriConfiguration", "Plumbing", "RegionMonitoring",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .target(
            name: "Systemd",
            dependencies: [
                "Events", "Plumbing", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "Doctor",
            dependencies: [
                "API", "Bluetooth", "Client", "NetworkManager", "OkaeriConfiguration", "Plumbing", "ThreadService",
                "WiFi",
            ], swiftSettings: house),

        .target(
            name: "Setup",
            dependencies: [
                "API", "ConfigurationEditor", "IBeacon", "OkaeriConfiguration", "Plumbing", "RegionMonitoring", "WiFi",
            ], swiftSettings: house),

        .target(
            name: "Listening",
            dependencies: [
                "API", "Agreement", "Bluetooth", "Events", "HCI", "IBeacon", "OkaeriConfiguration", "Plumbing",
                "Presence",
                "RegionMonitoring", "ThreadService",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "OkaeriDaemon",
            dependencies: [
                "API", "Agreement", "Bluetooth", "Broker", "Client", "Events", "GLib", "History", "Homecoming", "Hooks",
                "IBeacon", "Listening", "MQTT", "NetworkManager", "OkaeriConfiguration", "OpenMetrics", "PageData",
                "Plumbing", "Presence", "RegionMonitoring", "Server", "ServiceWatch", "State", "Systemd",
                "ThreadService", "Web", "WiFi",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(
            name: "Agent",
            dependencies: [
                "API", "Client", "DBus", "Events", "Plumbing", "WiFi",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(name: "CAmbientCapabilities"),
        .target(
            name: "GATTStatus",
            dependencies: [
                "API", "BlueZ", "Client", "Events", "Plumbing",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: house),
        .target(name: "CQuietDispatch"),
        .target(name: "CRevision", cSettings: commit),
        .executableTarget(
            name: "okaeri",
            dependencies: [
                "API", "Agent", "BlueZ", "Bluetooth", "CAmbientCapabilities", "CQuietDispatch", "CRevision", "Client",
                "ConfigurationEditor", "Doctor", "Events", "GATTStatus", "History", "IBeacon", "Listening",
                "NetworkManager", "OkaeriConfiguration", "OkaeriDaemon", "Plumbing", "Presence", "RegionMonitoring",
                "Server", "Setup", "Systemd", "WiFi",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: house,
            // Ninety thousand relocations, packed: 1.7 MB less, and a command starts sooner. gold cannot, lld can.
            // The static standard library asks for a table of all symbols, for plug-ins: there are none, and it is 2.6 MB.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
                        "-Xlinker", "--no-export-dynamic",
                    ], .when(platforms: [.linux]))
            ]),

        .target(name: "ControllerEmulation", dependencies: ["HCI", "IBeacon", "Plumbing"], swiftSettings: house),
        .executableTarget(
            name: "VirtualController",
            dependencies: [
                "ControllerEmulation", "HCI", "Plumbing",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["README.md"], swiftSettings: house),

        .target(name: "CAllocations", path: "Benchmarks/Speed/CAllocations"),
        .executableTarget(
            name: "SpeedBenchmark",
            dependencies: [
                "CAllocations", "Bluetooth", "Events", "Listening", "OkaeriConfiguration", "OkaeriDaemon", "Plumbing",
                "Presence", "RegionMonitoring",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], path: "Benchmarks/Speed/Harness", swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "SiteBenchmark",
            dependencies: brokerParts,
            path: "Benchmarks/Site/Harness", swiftSettings: house),

        .target(
            name: "TestSupport", dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Tests/TestSupport", exclude: ["BlueZ/bluez.py"], swiftSettings: house),
        // What the tests of several targets between the events and the daemon share.
        .target(
            name: "DaemonTestSupport",
            dependencies: [
                "API", "Events", "HCI", "History", "Homecoming", "IBeacon", "Plumbing", "Presence", "RegionMonitoring",
                "ServiceWatch", "TestSupport",
            ], path: "Tests/DaemonTestSupport", exclude: ["Kept"], swiftSettings: house),
        .testTarget(name: "PlumbingTests", dependencies: ["Plumbing", "TestSupport"], swiftSettings: house),
        .testTarget(name: "WebTests", dependencies: ["Web"], swiftSettings: house),
        .testTarget(
            name: "BrokerTests", dependencies: brokerParts + ["TestSupport"], swiftSettings: house),
        .testTarget(name: "HomeAssistantTests", dependencies: ["Events", "HomeAssistant"], swiftSettings: house),
        .testTarget(name: "IBeaconTests", dependencies: ["IBeacon", "TestSupport"], swiftSettings: house),
        .testTarget(name: "HCITests", dependencies: ["HCI", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "RegionMonitoringTests", dependencies: ["IBeacon", "RegionMonitoring", "TestSupport"],
            swiftSettings: house),
        .testTarget(name: "AgreementTests", dependencies: ["Agreement", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "BluetoothTests", dependencies: ["Bluetooth", "HCI", "Plumbing", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "PresenceTests",
            dependencies: [
                "Bluetooth", "DaemonTestSupport", "HCI", "IBeacon", "OkaeriConfiguration", "Plumbing", "Presence",
                "RegionMonitoring", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .testTarget(
            name: "BeaconLocationTests",
            dependencies: [
                "BeaconLocation", "Bluetooth", "HCI", "IBeacon", "Plumbing", "Presence", "RegionMonitoring",
                "TestSupport",
            ], swiftSettings: house),
        .testTarget(
            name: "DBusTests", dependencies: ["CGIO", "DBus", "Plumbing", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "WiFiTests", dependencies: ["NetworkManager", "Plumbing", "TestSupport", "WiFi"],
            exclude: ["Support/bench.py", "Support/networkmanager.py"], swiftSettings: house),
        .testTarget(
            name: "BlueZTests", dependencies: ["BlueZ", "BlueZMachines", "Bluetooth", "DBus", "TestSupport"],
            swiftSettings: house),
        .testTarget(name: "MQTTTests", dependencies: ["MQTT", "Plumbing", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "EventsTests", dependencies: ["DaemonTestSupport", "Events", "RegionMonitoring", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "OkaeriConfigurationTests",
            dependencies: [
                "DaemonTestSupport", "Events", "IBeacon", "OkaeriConfiguration", "Plumbing", "RegionMonitoring",
                "TestSupport", "WiFi", .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .testTarget(
            name: "ConfigurationEditorTests",
            dependencies: [
                "ConfigurationEditor", "IBeacon", "OkaeriConfiguration", "RegionMonitoring", "TestSupport", "WiFi",
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .testTarget(
            name: "APITests",
            dependencies: ["API", "DaemonTestSupport", "Events", "RegionMonitoring", "State", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "OpenMetricsTests",
            dependencies: [
                "API", "Agreement", "DaemonTestSupport", "Events", "OpenMetrics", "RegionMonitoring", "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "API", "Client", "DaemonTestSupport", "Events", "OkaeriConfiguration", "OkaeriDaemon",
                "RegionMonitoring", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: house),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "API", "Client", "DaemonTestSupport", "Events", "IBeacon", "OpenMetrics", "Plumbing",
                "RegionMonitoring",
                "Server", "TestSupport", "Web",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: house),
        .testTarget(
            name: "PageDataTests",
            dependencies: [
                "API", "ConfigurationEditor", "Events", "History", "OkaeriConfiguration", "PageData", "Plumbing",
                "RegionMonitoring", "Server",
                "TestSupport", "WiFi", .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: house),
        .testTarget(
            name: "HooksTests",
            dependencies: [
                "Agreement", "DaemonTestSupport", "Events", "Hooks", "OkaeriConfiguration", "RegionMonitoring",
                "TestSupport",
                "WiFi", .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .testTarget(
            name: "HomecomingTests",
            dependencies: [
                "DaemonTestSupport", "Events", "Homecoming", "OkaeriConfiguration", "Plumbing", "RegionMonitoring",
                "TestSupport", "WiFi",
            ], swiftSettings: house),
        .testTarget(
            name: "ServiceWatchTests",
            dependencies: [
                "API", "BlueZ", "Events", "Hooks", "OkaeriConfiguration", "Plumbing", "ServiceWatch", "State",
                "TestSupport",
            ], swiftSettings: house),
        .testTarget(
            name: "StateTests",
            dependencies: [
                "DaemonTestSupport", "Events", "Homecoming", "IBeacon", "Plumbing", "Presence", "RegionMonitoring",
                "ServiceWatch", "State", "TestSupport", "WiFi",
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: house),
        .testTarget(
            name: "HistoryTests",
            dependencies: [
                "Agreement", "DaemonTestSupport", "Events", "History", "IBeacon", "OkaeriConfiguration", "Plumbing",
                "RegionMonitoring", "TestSupport", "ThreadService", .product(name: "Logging", package: "swift-log"),
            ], exclude: ["Support/torture.py"], swiftSettings: house),
        .testTarget(
            name: "SystemdTests",
            dependencies: [
                "DaemonTestSupport", "Events", "RegionMonitoring", "Systemd", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: house),
        .testTarget(
            name: "DoctorTests",
            dependencies: [
                "API", "Bluetooth", "Client", "DaemonTestSupport", "Doctor", "OkaeriConfiguration", "TestSupport",
                "WiFi",
            ], swiftSettings: house),
        .testTarget(
            name: "ListeningTests",
            dependencies: [
                "API", "Bluetooth", "DaemonTestSupport", "Events", "HCI", "History", "IBeacon", "Listening",
                "OkaeriConfiguration", "Plumbing", "Presence", "RegionMonitoring", "TestSupport",
            ], swiftSettings: house),
        .testTarget(
            name: "SetupTests",
            dependencies: ["API", "IBeacon", "OkaeriConfiguration", "RegionMonitoring", "Setup", "WiFi"],
            swiftSettings: house),
        .testTarget(
            name: "OkaeriDaemonTests",
            dependencies: [
                "API", "Client", "DaemonTestSupport", "Events", "History", "Homecoming", "OkaeriConfiguration",
                "OkaeriDaemon", "Presence", "RegionMonitoring", "State", "Systemd", "TestSupport",
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: house),
        .testTarget(
            name: "AgentTests",
            dependencies: [
                "API", "Agent", "Client", "DBus", "Events", "OkaeriConfiguration", "OkaeriDaemon", "TestSupport",
                "WiFi", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ], exclude: ["Support/desktop.py"], swiftSettings: house),
        .testTarget(
            name: "GATTStatusTests",
            dependencies: [
                "API", "BlueZ", "Client", "GATTStatus", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: house),
        .testTarget(
            name: "VirtualControllerTests",
            dependencies: ["ControllerEmulation", "HCI", "IBeacon", "Plumbing", "TestSupport", "VirtualController"],
            swiftSettings: house),
        .testTarget(
            name: "okaeriTests",
            dependencies: [
                "API", "BlueZ", "History", "OkaeriConfiguration", "TestSupport", "okaeri",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: house),
    ]
)

/// What `scripts/fuzz` builds, with the sanitizers it needs; no other build has to bear it.
if Context.environment["OKAERI_FUZZ"] != nil {
    /// What the targets need that make requests to the server.
    let server: [Target.Dependency] = [
        "API", "Events", "PageData", "Plumbing", "RegionMonitoring", "Server", "Web", "WiFi",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
    ]
    let subjects: [(name: String, dependencies: [Target.Dependency])] = [
        ("HCI", ["HCI", "IBeacon"]), ("IBeacon", ["IBeacon"]), ("Captures", ["HCI"]), ("DBusValues", ["CGIO", "DBus"]),
        ("Configuration", ["OkaeriConfiguration", "RegionMonitoring", "WiFi"]),
        (
            "State",
            [
                "Events", "Homecoming", "IBeacon", "Plumbing", "Presence", "RegionMonitoring", "ServiceWatch", "State",
                "WiFi",
            ]
        ),
        ("Reports", ["API", "Client", "Events", "RegionMonitoring"]),
        ("Broker", brokerParts),
        ("Edits", server + ["ConfigurationEditor", "IBeacon", "OkaeriConfiguration"]),
        ("HTTP", server + ["OpenMetrics"]), ("Queries", server + ["History"]), ("Cookies", server),
    ]
    package.targets.append(.target(name: "FuzzSupport", path: "Fuzz/Support", swiftSettings: house))
    package.targets += subjects.map { name, dependencies in
        .executableTarget(
            name: "Fuzz\(name)", dependencies: dependencies + ["FuzzSupport"], path: "Fuzz/\(name)",
            swiftSettings: house + [.unsafeFlags(["-parse-as-library"])])
    }
}
