import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import OkaeriConfiguration
import OkaeriDaemon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring
import ServiceLifecycle

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play an arrival from a capture, without Bluetooth.",
        discussion: """
            A capture of two minutes stands in for the Bluetooth adapter, and a simulated Wi-Fi for NetworkManager: a beacon \
            arrives, Okaeri asks whether to join the home Wi-Fi, the demo answers, and the beacon leaves. It uses neither the \
            service nor its configuration, and keeps nothing. Exit status: 0; 69 if the capture is missing.
            """)

    @Option(help: "The factor of the capture's speed.")
    var speed = 8.0

    func validate() throws {
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed takes a number above zero") }
    }

    func run() async throws {
        guard let capture = DemoCapture.file() else {
            throw CommandFailure(
                "the capture \(DemoCapture.installed) is missing; "
                    + Remedy.install("--reinstall okaeri").order("install the package again, with "),
                status: Exit.unavailable)
        }
        let folder: PrivateFolder
        do throws(FilePlace.Problem) {
            folder = try PrivateFolder(prefix: "okaeri-demo", in: PrivateFolder.parent(orElse: "/tmp"))
        } catch {
            throw CommandFailure(
                "no temporary folder can be made: \(error.description.escapedName); make room in /tmp, or set $TMPDIR",
                status: Exit.ioError)
        }
        defer { folder.remove() }
        var logger = Terminal.logger(verbose: false)
        logger.logLevel = .critical
        let daemon = try Daemon(
            try Configuration(json: Array(Configuration.example.utf8), file: "the example"),
            options: .init(
                // No file is there: a SIGHUP changes nothing.
                configurationFile: "\(folder.path)/beacons.json", capture: capture, speed: speed, simulatesWiFi: true,
                socket: "\(folder.path)/okaeri.sock", node: NodeName.local, version: Version().number,
                commit: Version().commit),
            logger: logger)
        try Terminal.print(DemoNarrator.beginning(speed: speed))
        try await daemon.run(with: [DemoPlayer(daemon: daemon, events: daemon.allEvents())])
        try Terminal.print(DemoNarrator.end)
    }
}

/// Prints the events with explanations, and answers the prompt. It ends the daemon after the departure.
private struct DemoPlayer: Service {
    let daemon: Daemon
    let events: AsyncStream<Event>

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var narrator = DemoNarrator()
            for await event in events {
                for line in narrator.lines(event) { try? Terminal.print(line) }
                if case .wifiPrompt(let prompt) = event.kind, let id = prompt.id {
                    try? await daemon.answer(prompt: id, .join)
                }
                // As the terminal does for Ctrl-C.
                if narrator.isOver { kill(getpid(), SIGTERM) }
            }
        }
        // The events end before this service is asked to.
        try await gracefulShutdown()
    }
}

/// The lines of the demo.
struct DemoNarrator {
    static func beginning(speed: Double) -> String {
        """
        A capture stands in for the Bluetooth adapter, at \(speed.plain) times its speed, and a simulated Wi-Fi for \
        NetworkManager. The service and its configuration are not used.

        The beacon of your keys is not received yet:
        """
    }

    static let end = """

        These are the events for hooks, the page, Home Assistant and the desktop. For your own beacon, \(Remedy.setup().order()).
        """

    /// The number of distances that are printed; there is one a second.
    private static let rangedLimit = 3

    private var isJoined = false
    private var ranged = 0
    /// Whether the beacon has left.
    private(set) var isOver = false

    /// Returns the lines about an event.
    mutating func lines(_ event: Event) -> [String] {
        switch event.kind {
        case .didEnterRegion: return ["", "You come home: the beacon is received.", event.line]
        case .wifiPrompt:
            return [
                "",
                "Okaeri asks whether to join your Wi-Fi, on the page, the desktop and in Home Assistant. The demo answers.",
                event.line,
            ]
        case .wifiJoined:
            isJoined = true
            return [event.line, "", "The distance is determined once a second:"]
        case .didRangeBeacons:
            guard isJoined else { return [] }
            ranged += 1
            if ranged > Self.rangedLimit { return ranged == Self.rangedLimit + 1 ? ["              …"] : [] }
            return [event.line]
        case .didExitRegion: return ["", "You leave: the beacon has not been received for long enough.", event.line]
        case .didDetermineState(_, .outside):
            isOver = true
            return [event.line]
        default: return [event.line]
        }
    }
}

/// The capture of the demo.
enum DemoCapture {
    /// The file of the package.
    static let installed = "/usr/share/okaeri/homecoming.btsnoop"

    /// The folders above the program that are searched for the sources.
    private static let depth = 6

    /// Returns the capture of the sources that this program was built from, or else the one of the package; `nil` if there is
    /// none.
    static func file(program: String? = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        -> String?
    {
        var components = (program ?? "").split(separator: "/").dropLast()
        if components.contains(".build") {
            for _ in 0..<depth where !components.isEmpty {
                components.removeLast()
                let folder = "/" + components.joined(separator: "/")
                let capture = "\(folder)/Demo/homecoming.btsnoop"
                if FileManager.default.fileExists(atPath: "\(folder)/Package.swift"),
                    FileManager.default.fileExists(atPath: capture)
                {
                    return capture
                }
            }
        }
        return FileManager.default.fileExists(atPath: installed) ? installed : nil
    }
}
