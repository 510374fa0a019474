import Glibc
import Logging
import OkaeriBluetooth
import OkaeriConfiguration
import OkaeriDaemon

/// The measurements of `Benchmarks/Speed/measure` inside the program; the rest it measures from outside.
///
///     SpeedBenchmark pipeline CONFIG EVENTS COUNT        nanoseconds and allocations for COUNT reports
///     SpeedBenchmark phones CONFIG EVENTS COUNT PHONES   the same, with changing addresses and so many phones among the senders
///     SpeedBenchmark daemon CONFIG DESCRIPTOR            the whole daemon, on a socket in place of an adapter's
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
        case ("daemon", let rest) where rest.count == 2:
            let daemon = try Daemon(
                Configuration(file: rest[0]),
                options: .init(configurationFile: rest[0], simulatesWiFi: true, socket: "\(rest[0]).sock"),
                kernel: SocketKernel(scanSocket: Int32(rest[1]) ?? -1),
                logger: Logger(label: "speed") { _ in SwiftLogNoOpLogHandler() })
            try await daemon.run(with: [])
        default:
            print(
                "usage: SpeedBenchmark pipeline CONFIG EVENTS COUNT | phones CONFIG EVENTS COUNT PHONES | daemon CONFIG DESCRIPTOR"
            )
            exit(EX_USAGE)
        }
    }
}
