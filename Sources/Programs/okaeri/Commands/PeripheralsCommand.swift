import ArgumentParser
import BlueZ
import Events
import Plumbing

struct PeripheralsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peripherals", abstract: "Bluetooth LE devices in the air, live: those that have a service.",
        discussion: """
            A table on a terminal; otherwise a JSON object a line when one is found, changes or is gone, with the data it \
            advertises for its manufacturer and its services, in hexadecimal, and the power in dBm it says to send with. A \
            UUID has 4, 8 or 32 hexadecimal digits, such as 180F (Battery). bluetoothd looks for them, beside the daemon's \
            own scan.
            """)

    @OptionGroup var bluetooth: BluetoothOptions
    @OptionGroup var log: LogOptions

    @Option(
        help: ArgumentHelp("Only those that advertise this service; may be given again.", valueName: "uuid"),
        transform: BluetoothUUID.argument)
    var service: [BluetoothUUID] = []

    @Option(help: "Stop after this many seconds.")
    var timeout: Double?

    @Flag(help: "JSON lines, on a terminal too.")
    var json = false

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 1e9) {
            throw ValidationError("--timeout takes a number of seconds above zero")
        }
    }

    func run() async throws {
        let isTable = Terminal.isInteractive && !json
        let session = CentralSession(adapter: bluetooth.adapter, logger: log.logger)
        try await session.run(for: timeout) { central in
            let found = central.scanForPeripherals(withServices: service)
            if isTable { try await table(found) } else { try await lines(found) }
        }
    }

    private func table(_ found: AsyncThrowingStream<Discovery, any Error>) async throws {
        var screen = LiveScreen()
        var table = PeripheralTable()
        try screen.draw(table.lines(columns: Terminal.columns, rows: Terminal.rows))
        for try await discovery in found where table.take(discovery, at: .now) {
            try screen.draw(table.lines(columns: Terminal.columns, rows: Terminal.rows))
        }
    }

    private func lines(_ found: AsyncThrowingStream<Discovery, any Error>) async throws {
        var table = PeripheralTable()
        for try await discovery in found where table.take(discovery, at: .now) {
            try Terminal.print(JSON.line(PeripheralReport(discovery)))
        }
    }
}
