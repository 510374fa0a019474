import ArgumentParser
import BlueZ
import OkaeriPlumbing

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect a Bluetooth LE device, and use its services.",
        discussion: """
            Without options it lists the services and characteristics. Values are hexadecimal. It performs the writes \
            first, in the given order, then the reads, then the subscriptions. A subscription lasts until Ctrl-C; a device \
            that was out of range is connected again. The command leaves a connection that existed before, and ends its \
            own.

            A device may have several characteristics with one UUID. The command uses the only one that can be read, \
            written or subscribed to. If there are several, add the service, the number in the list, or both: 1802/2A06, \
            2A06#2 or 1802/2A06#2.
            """, shouldDisplay: false)

    @OptionGroup var bluetooth: BluetoothOptions
    @OptionGroup var log: LogOptions

    @Argument(help: "The device's address in `okaeri devices`.")
    var address: String

    @Option(
        help: ArgumentHelp("Only this service and its characteristics.", valueName: "uuid"),
        transform: BluetoothUUID.argument)
    var service: BluetoothUUID?

    @Option(help: ArgumentHelp("Write a value, and wait for the device's response.", valueName: "characteristic=hex"))
    var write: [ValueToWrite] = []

    @Option(help: ArgumentHelp("Write a value without a response.", valueName: "characteristic=hex"))
    var writeWithoutResponse: [ValueToWrite] = []

    @Option(
        help: ArgumentHelp("Read the value of a characteristic, such as 2A19.", valueName: "characteristic"),
        transform: CharacteristicSelector.argument)
    var read: [CharacteristicSelector] = []

    @Option(
        help: ArgumentHelp("Print each notified value of a characteristic.", valueName: "characteristic"),
        transform: CharacteristicSelector.argument)
    var subscribe: [CharacteristicSelector] = []

    @Flag(help: "Print a JSON object a line.")
    var json = false

    func validate() throws {
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count == 6, groups.allSatisfy({ $0.utf8.count == 2 && UInt8(hexadecimal: $0) != nil }) else {
            throw ValidationError("\(address) is not an address; write it as DC:A6:32:01:02:03")
        }
    }

    func run() async throws {
        let conversation = PeripheralExchange(
            address: address.uppercased(), service: service, writes: write, commands: writeWithoutResponse, reads: read,
            subscriptions: subscribe, speaker: PeripheralPrinter(asJSON: json))
        try await CentralSession(adapter: bluetooth.adapter, logger: log.logger).run { central in
            try await conversation.hold(by: central)
        }
    }
}

/// `2A06=01`: what is to be written where.
struct ValueToWrite: ExpressibleByArgument, Sendable {
    let characteristic: CharacteristicSelector
    let value: [UInt8]

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let characteristic = CharacteristicSelector(parts[0]),
            let value = [UInt8](hexadecimal: parts[1])
        else {
            return nil
        }
        self.characteristic = characteristic
        self.value = value
    }
}

extension CharacteristicSelector {
    /// As it stands on the command line.
    static func argument(_ text: String) throws -> CharacteristicSelector {
        guard let selector = CharacteristicSelector(text) else {
            throw ValidationError(
                "\(text) does not select a characteristic; write a UUID such as 2A19, with a service before it "
                    + "(180F/2A19) or a number behind it (2A19#2) if there are several")
        }
        return selector
    }
}
