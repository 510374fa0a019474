import ArgumentParser
import BlueZ
import FoundationEssentials
import Glibc
import Logging
import OkaeriAgent
import OkaeriDaemon

struct GATTCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatt", abstract: "Serve region states and the Wi-Fi prompt to Bluetooth centrals over GATT.",
        discussion: """
            The characteristics are the region states, the pending prompt, its answer and the log level of this process; \
            /usr/share/doc/okaeri/gatt.md describes the values. Only paired devices can use them: keep `bluetoothctl` \
            open on this machine, which asks you to confirm each pairing. Only centrals whose pairing was authenticated \
            by a number that both sides show can write. With --open every device in range can read the region states.
            """, shouldDisplay: false)

    @OptionGroup var bluetooth: BluetoothOptions
    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    @Option(help: "The advertised name; default: \"Okaeri\" and the host name.")
    var name: String?

    @Flag(help: "Let all devices in range read the region states without pairing, but not the prompts.")
    var open = false

    @Flag(help: "Accept answers also from centrals that paired without comparing a number (Just Works).")
    var justWorks = false

    func run() async throws {
        // A daemon that ends in the middle of a request is an error, not our end.
        signal(SIGPIPE, SIG_IGN)
        let level = LogLevel(log.verbose ? .debug : .notice)
        let logger = level.logger(log.logger)
        let host = ProcessInfo.processInfo.hostName.split(separator: ".").first ?? ""
        let named = name ?? Advertisement.localName(fitting: "Okaeri \(host)")
        let audience = open ? ", and every device in range can read the region states" : ""
        try await withPeripheralManager(adapter: bluetooth.adapter, fallback: KernelAdvertising()) { manager in
            do throws(AdvertisementError) {
                try manager.startAdvertising(
                    Advertisement(.connectable, localName: named, serviceUUIDs: [StatusProfile.service]))
            } catch {
                guard case .nameTooLong = error else { throw error }
                throw ValidationError("--name: \(error)")
            }
            let status = StatusPeripheral(
                client: { [socket] in socket.client }, manager: manager, level: level, isOpen: open,
                acceptsJustWorks: justWorks, logger: logger)
            try await PeripheralSession(manager: manager, logger: logger).run(
                saying: "\"\(named)\" can be connected\(audience)", beside: [status])
        }
    }
}
