import ArgumentParser
import BlueZ
import OkaeriEvents
import OkaeriPlumbing

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the Bluetooth LE devices in range that advertise a service.",
        discussion: """
            On a terminal it shows a table; otherwise it prints a JSON object a line for each device that is found, \
            changes or is lost: the data that it advertises for its manufacturer and its services, in hexadecimal, and its \
            transmit power in dBm. A UUID has 4, 8 or 32 hexadecimal digits, such as 180F (Battery). bluetoothd scans, \
            beside the daemon's own scan. Exit status 69 without bluetoothd or an adapter.
            """, shouldDisplay: false)

    @OptionGroup var bluetooth: BluetoothOptions
    @OptionGroup var log: LogOptions

    @Option(
        help: ArgumentHelp("Only devices that advertise this service. You can repeat the option.", valueName: "uuid"),
        transform: BluetoothUUID.argument)
    var service: [BluetoothUUID] = []

    @Option(help: "Stop after this many seconds.")
    var duration: Double?

    @Flag(help: "Print JSON lines on a terminal, too.")
    var json = false

    func validate() throws {
        if let duration, !(duration > 0 && duration <= 1e9) {
            throw ValidationError("--duration takes a number of seconds above zero")
        }
    }

    func run() async throws {
        let isTable = Terminal.isInteractive && !json
        let session = CentralSession(adapter: bluetooth.adapter, logger: log.logger)
        try await session.run(for: duration) { central in
            let found = central.scanForPeripherals(withServices: service)
            if isTable { try await table(found) } else { try await lines(found) }
        }
    }

    private func table(_ found: CentralSequence<Discovery>) async throws {
        var screen = LiveScreen()
        var table = PeripheralTable()
        try screen.draw(table.lines(columns: Terminal.columns, rows: Terminal.rows))
        for try await discovery in found where table.take(discovery, at: .now) {
            try screen.draw(table.lines(columns: Terminal.columns, rows: Terminal.rows))
        }
    }

    private func lines(_ found: CentralSequence<Discovery>) async throws {
        var table = PeripheralTable()
        for try await discovery in found where table.take(discovery, at: .now) {
            try Terminal.print(JSON.line(PeripheralReport(discovery)))
        }
    }
}
