import OkaeriEvents
import Glibc
import OkaeriPlumbing
import OkaeriTestSupport
import SystemPackage

@testable import OkaeriConfiguration

extension Messages {
    static var configuration: [Section] {
        [
            Section("ConfigurationError: values", mistakes.flatMap(problems)),
            Section("ConfigurationError: JSON", malformed.flatMap(problems)),
            Section(
                "ConfigurationError: the file", places.map { ConfigurationError(file: "/etc/okaeri/beacons.json", $0) }),
            Section("Configuration.notices", notices),
            Section("Configuration.noticesOfCapture", noticesOfCapture),
            Section("SavedReport.problems", saved.flatMap(unused)),
            Section("RegionFiles.Refusal", refusals),
            Section("Configuration.readIdentities", sameKeys),
        ]
    }

    static var files: [Section] {
        [
            Section("FilePlace.Problem", places),
            Section("WriteObstacle", obstacles.map { ofAnyUser($0.description) }),
            Section("InstanceLock.Failure", instanceLocks),
            Section("StateLock.Failure", stateLocks),
        ]
    }

    private static func problems(_ json: String) -> [String] {
        do throws(ConfigurationError) {
            var configuration = try Configuration(json: Array(json.utf8), file: "beacons.json")
            try configuration.readIdentities(file: "beacons.json")
            return ["no mistake is found in \(json)"]
        } catch {
            return [error.description]
        }
    }

    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    /// A configuration for each kind of mistake.
    private static let mistakes = [
        #"{}"#,
        #"{"regoins": [], "regions": []}"#,
        #"{"regions": [{}]}"#,
        #"{"regions": 1, "adapter": "usb0", "sensitivity": "slow"}"#,
        #"{"regions": [], "state": {"validFor": 1}, "history": {"keep": -1}, "scan": {"interval": 1, "window": 1}}"#,
        #"{"regions": [], "scan": {"interval": 50, "window": 60}}"#, #"{"regions": [], "scan": "always"}"#,
        #"{"regions": [], "scan": {"window": 50, "lateShare": 0.1}}"#,
        #"{"regions": [{"identifier": "", "uuid": "E2C5", "minor": 1}]}"#,
        """
        {"regions": [{"identifier": "home", "uuid": "\(uuid)", "major": 70000, "enterRSSI": -90, "exitRSSI": -80,
        "exitAfter": 0, "measuredPower": 0, "pathLossExponent": 9, "ranging": 1, "onEnter": "x", "onExit": ["./x"],
        "scope": "all", "wifi": {"ssid": "", "join": "yes", "passphraseFile": "x", "security": "wep"}},
        {"identifier": "home", "uuid": "\(uuid)"}]}
        """,
        #"{"regions": [], "mqtt": {"port": 0, "site": "a b", "discovery": 1, "passwordFile": "x", "tls": 1}}"#,
        #"{"regions": [], "mqtt": {"host": "broker", "username": "okaeri", "passwordFile": "/x"}}"#,
        #"{"regions": [], "mqtt": {"host": "broker", "passwordFile": "/x", "tls": {"ca": "x", "key": "/x"}}}"#,
        #"{"regions": [], "web": {"listen": "x", "hosts": "x"}, "metrics": {"listen": 1}}"#,
        #"{"regions": [], "web": {"listen": "127.0.0.1:8080", "hosts": ["pi.lan:8080", 7]}, "mqtt": {"host": "[hub]"}}"#,
        #"{"regions": [], "mqtt": {"host": "mqtts://hub.lan:8883"}}"#,
        #"{"regions": [], "web": {"listen": "0.0.0.0:8080", "open": true}}"#,
        #"{"regions": [], "web": {"listen": "127.0.0.1:8080", "open": true, "hosts": ["okaeri.example.org"]}}"#,
        #"{"regions": [], "node": {"name": "a b", "room": ""}, "nodes": {"a b": {}}}"#,
        #"{"regions": [], "services": [{"service": "x"}, {"identifier": "", "service": "180F"}]}"#,
        #"{"regions": [], "services": [{"service": "180F"}, {"service": "180F"}]}"#,
    ]

    /// The values that each mistake expects.
    static var expectedValues: [String] {
        mistakes.flatMap { json -> [String] in
            do throws(ConfigurationError) {
                _ = try Configuration(json: Array(json.utf8), file: "beacons.json")
                return []
            } catch {
                return error.problems.map(\.expected)
            }
        }
    }

    private static let malformed = [
        "", "{", "[1", #"{"a" 1}"#, #"{"a": 1,}"#, #"{"a": 1, "a": 2}"#, #"{"a": 01}"#, #"{"a": tru}"#,
        #"{"a": "\#n"}"#,
        #"{"a": "\x"}"#, #"{"a": "\uD800"}"#, #"{"a": "\u12"}"#, #"{"a": "b"#, "{} {}",
        String(repeating: "[", count: 40),
    ]

    private static var notices: [String] {
        let region = """
            {"identifier": "home", "uuid": "\(uuid)", "onEnter": ["x"], "onExit": ["x"], "onPrompt": ["x"],
            "notifyOnExit": false, "scope": "house"}
            """
        let json = #"{"regions": [\#(region)]}"#
        return (try? Configuration(json: Array(json.utf8), file: "beacons.json").notices) ?? []
    }

    private static var noticesOfCapture: [String] {
        let json = #"{"regions": [], "services": [{"service": "180F"}]}"#
        return (try? Configuration(json: Array(json.utf8), file: "beacons.json").noticesOfCapture) ?? []
    }

    /// A content of regions.json for each kind of mistake.
    private static let saved = [
        "{", "[]", #"{"web": {}}"#, #"{"regions": 1}"#, #"{"room": ""}"#,
        #"{"regions": [{"identifier": "home", "onEnter": ["x"]}]}"#, #"{"regions": [{"identifier": "a\u001b"}]}"#,
        #"{"regions": [{"identifier": "gone", "exitAfter": 9}, {"identifier": "bad", "uuid": "E2C5"}]}"#,
        #"{"regions": [\#(Array(repeating: "{}", count: SavedRegions.countLimit + 1).joined(separator: ","))]}"#,
    ]

    private static func unused(_ saved: String) -> [String] {
        let regions = Result { () throws(ConfigurationError) in
            try SavedRegions(json: Array(saved.utf8), file: "/var/lib/okaeri/regions.json")
        }
        let main = Array(#"{"regions": [{"identifier": "home", "uuid": "\#(uuid)"}]}"#.utf8)
        let merged = try? MergedConfiguration(
            json: main, file: "beacons.json", savedFile: "/var/lib/okaeri/regions.json", saved: regions)
        return merged?.saved.problems ?? ["the configuration is not read"]
    }

    /// The mistake of two files with one key.
    private static var sameKeys: [String] {
        let key = Array("ec0234a357c8ad05341010a60a397d9b".utf8)
        guard let folder = try? TemporaryFolder(),
            let files = try? ["anna.irk", "bob.irk"].map({ try folder.file($0, key) })
        else { return ["no folder"] }
        for file in files { chmod(file, 0o600) }
        let signs = files.map { "{\"phone\": \"\($0)\"}" }.joined(separator: ", ")
        return problems("{\"regions\": [{\"identifier\": \"anna\", \"anyOf\": [\(signs)]}]}")
            .map { $0.split(separator: folder.path, omittingEmptySubsequences: false).joined(separator: "/etc/okaeri") }
    }

    /// The refusals of a daemon that may not write beacons.json.
    private static var refusals: [String] {
        let main = """
            {"regions": [{"identifier": "home", "uuid": "\(uuid)", "onEnter": ["x"]},
            {"identifier": "shed", "uuid": "\(uuid)", "wifi": {"ssid": "ShedNet"}},
            {"identifier": "anna", "anyOf": [{"uuid": "\(uuid)", "major": 1}, {"uuid": "\(uuid)", "major": 2}]}]}
            """
        guard let folder = try? TemporaryFolder(), let file = try? folder.file("beacons.json", Array(main.utf8)) else {
            return ["no folder"]
        }
        let files = RegionFiles(file: file, directory: folder.path, user: 4321)
        var (moved, joined) = (RegionPatch(identifier: "home"), RegionPatch(identifier: "shed"))
        moved["major"] = .number(2)
        joined["wifi"] = .null
        var signs = RegionPatch(identifier: "anna")
        signs["enterRSSI"] = .number(-60)
        func refusal(
            _ files: RegionFiles,
            _ attempt: (RegionFiles.Content) throws(RegionFiles.Refusal) -> [RegionFiles.Edit]
        ) -> String {
            do throws(RegionFiles.Refusal) {
                _ = try attempt(try files.content())
                return "nothing is refused"
            } catch {
                return switch error {
                case .invalid(let error), .unreadable(let error): error.description
                case .forbidden(let text), .unknown(let text), .name(let text): text.english
                }
            }
        }
        let sentences = [
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(moved, name: nil, in: content) },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(joined, name: nil, in: content) },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(signs, name: nil, in: content) },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(moved, name: "", in: content) },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(moved, name: "shed", in: content)
            },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(moved, name: "house", in: content)
            },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.setting(joined, name: "hut", in: content)
            },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.removing("home", from: content) },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.removing("shed", from: content) },
            refusal(files) { content throws(RegionFiles.Refusal) in try files.removing("gone", from: content) },
            refusal(RegionFiles(file: file, directory: nil, user: 4321)) { content throws(RegionFiles.Refusal) in
                try RegionFiles(file: file, directory: nil, user: 4321).setting(room: "attic", in: content)
            },
        ]
        return sentences.map { $0.replacing(folder.path, with: "/etc/okaeri") }
    }

    private static let places = samples(FilePlace.Problem.notAFile) { problem in
        switch problem {
        case .notAFile: .foreign(path: "/home/pi", user: 1000)
        case .foreign: .open(path: "/srv")
        case .open: .failed(.noSuchFileOrDirectory)
        case .failed: nil
        }
    }

    private static let obstacles = samples(WriteObstacle.Problem.notAFile) { problem in
        switch problem {
        case .notAFile: .foreign(user: 1001)
        case .foreign: .untrusted(.open(path: "/srv"))
        case .untrusted: .changed
        case .changed: .failed(.readOnlyFileSystem)
        case .failed(.readOnlyFileSystem): .failed(.permissionDenied)
        case .failed(.permissionDenied): .failed(.resourceBusy)
        case .failed(.resourceBusy): .failed(.noSpace)
        case .failed(.noSpace): .failed(.ioError)
        case .failed: nil
        }
    }.map { WriteObstacle(file: "/etc/okaeri/beacons.json", problem: $0) }

    private static let instanceLocks = samples(InstanceLock.Failure.taken(socket: "/run/okaeri/okaeri.sock")) {
        failure in
        switch failure {
        case .taken(let socket): .occupied(socket: socket)
        case .occupied(let socket): .untrusted(socket: socket, .open(path: "/srv"))
        case .untrusted(let socket, _): .unusable(socket: socket, .permissionDenied)
        case .unusable: nil
        }
    }

    private static let stateLocks = samples(StateLock.Failure.taken(directory: "/var/lib/okaeri")) { failure in
        switch failure {
        case .taken(let directory): .untrusted(directory: directory, .open(path: "/srv"))
        case .untrusted(let directory, _): .unusable(directory: directory, .permissionDenied)
        case .unusable: nil
        }
    }
}
