import Glibc
import Logging
import OkaeriBluetooth
import OkaeriConfiguration
import OkaeriDaemon
import OkaeriEvents
import OkaeriListening

/// The measurements of `Benchmarks/Speed/measure` inside the program; the rest it measures from outside.
///
///     SpeedBenchmark pipeline CONFIG EVENTS COUNT        nanoseconds and allocations for COUNT reports
///     SpeedBenchmark phones CONFIG EVENTS COUNT PHONES   the same, with changing addresses and so many phones among the senders
///     SpeedBenchmark scene SCENE NUMBER… SECONDS         the same for a scene of so many seconds, with its reports and events
///     SpeedBenchmark daemon CONFIG DESCRIPTOR            the whole daemon, on a socket in place of an adapter's
///     SpeedBenchmark house CONFIG DESCRIPTOR STATE       the same with a state directory, and with its events but ranging on standard
///                                                        output, as the journal has them
@main enum SpeedBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, Array(arguments.dropFirst())) {
        case ("pipeline", let rest) where rest.count == 3:
            var run = try PipelineRun(Configuration(file: rest[0]), events: Traffic(file: rest[1]))
            print(run.measure(Int(rest[2]) ?? 0))
        case ("phones", let rest) where rest.count == 4:
            var run = try PipelineRun(
                Configuration(file: rest[0]), events: Traffic(file: rest[1]), phones: Int(rest[3]) ?? 0)
            print(run.measureRotating(Int(rest[2]) ?? 0))
        case ("scene", let rest) where rest.count >= 3:
            guard let scene = SceneRun.Scene(rest.dropLast()), let seconds = rest.last.flatMap({ Int($0) }) else {
                fail()
            }
            var run = SceneRun(scene)
            print(run.measure(seconds: seconds))
        case ("daemon", let rest) where rest.count == 2:
            let daemon = try Daemon(
                Configuration(file: rest[0]),
                options: .init(configurationFile: rest[0], simulatesWiFi: true, socket: "\(rest[0]).sock"),
                kernel: SocketKernel(scanSocket: Int32(rest[1]) ?? -1),
                logger: Logger(label: "speed") { _ in SwiftLogNoOpLogHandler() })
            try await daemon.run(with: [])
        case ("house", let rest) where rest.count == 3:
            var configuration = try Configuration(file: rest[0])
            try configuration.readIdentities(file: rest[0])
            let daemon = try Daemon(
                configuration,
                options: .init(
                    configurationFile: rest[0], simulatesWiFi: true, socket: "\(rest[2]).sock", stateDirectory: rest[2]),
                kernel: SocketKernel(scanSocket: Int32(rest[1]) ?? -1),
                logger: Logger(label: "house") { StreamLogHandler.standardError(label: $0) })
            let output = EventOutput(hub: daemon.hub, reportMissing: { _ in }) { event in
                if case .didRangeBeacons = event.kind { return true }
                print(event.line)
                return true
            }
            try await daemon.run(with: [output])
        default: fail()
        }
    }

    private static func fail() -> Never {
        print(
            """
            usage: SpeedBenchmark pipeline CONFIG EVENTS COUNT | phones CONFIG EVENTS COUNT PHONES | daemon CONFIG DESCRIPTOR
                   SpeedBenchmark scene tags REGIONS INTERVAL SECONDS | scene ranging|unranged REGIONS SECONDS
                   SpeedBenchmark scene strangers PHONES SECONDS | scene house RADIOS REGIONS SECONDS
                   SpeedBenchmark house CONFIG DESCRIPTOR STATE
            """)
        exit(EX_USAGE)
    }
}
