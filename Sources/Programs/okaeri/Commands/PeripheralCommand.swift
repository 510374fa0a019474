import ArgumentParser
import BlueZ
import FoundationEssentials
import Agent
import Glibc
import Logging

struct PeripheralCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peripheral", abstract: "Serve Okaeri's status to Bluetooth centrals, over GATT.",
        discussion: """
            Region states, the prompt that waits, its answer and the log level of this process; \
            /usr/share/doc/okaeri/gatt.md describes the values. Only paired devices can use them: `bluetoothctl`, left open here, asks you to confirm each pairing. \
            Answers and the log level are taken only from centrals whose pairing was authenticated by a number that both \
            sides show. With --open every device in range can read whether the regions are occupied.
            """)

    @OptionGroup var bluetooth: BluetoothOptions
    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    @Option(help: "The name that centrals see; by default \"Okaeri\" and that of this machine.")
    var name: String?

    @Flag(help: "All devices in range can read the region states, without pairing. Prompts and answers are not.")
    var open = false

    @Flag(help: "Take answers also from centrals that paired without comparing a number (Just Works).")
    var justWorks = false

    func run() async throws {
        // A daemon that ends in the middle of a request is an error, not our end.
        signal(SIGPIPE, SIG_IGN)
        let level = LogLevel(log.verbose ? .debug : .notice)
        let logger = level.logger(log.logger)
        let manager = PeripheralManager(adapter: bluetooth.adapter)
        let host = ProcessInfo.processInfo.hostName.split(separator: ".").first ?? ""
        let named = name ?? Advertisement.localName(fitting: "Okaeri \(host)")
        let status = StatusPeripheral(
            client: { [socket] in socket.client }, manager: manager, level: level, isOpen: open,
            acceptsJustWorks: justWorks, logger: logger)
        do throws(AdvertisementError) {
            try manager.startAdvertising(
                Advertisement(.connectable, localName: named, serviceUUIDs: [StatusProfile.service]))
        } catch {
            throw ValidationError("--name: \(error)")
        }
        let audience = open ? ", and every device in range can read the region states" : ""
        try await PeripheralSession(manager: manager, logger: logger).run(
            saying: "\"\(named)\" can be connected\(audience)", beside: [status])
    }
}
