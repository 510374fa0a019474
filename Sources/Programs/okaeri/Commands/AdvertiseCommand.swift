import ArgumentParser
import BlueZ
import IBeacon
import OkaeriDaemon
import OkaeriPlumbing
import RegionMonitoring

struct AdvertiseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise", abstract: "Advertise this machine as an iBeacon until the command is stopped.",
        discussion: """
            bluetoothd sends the advertisement, beside this machine's own scan. It is not connectable. It continues by \
            itself after the adapter was switched off or unplugged, and after a restart of bluetoothd.
            """, shouldDisplay: false)

    @OptionGroup var bluetooth: BluetoothOptions
    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var log: LogOptions

    @Option(help: "The beacon's UUID.", transform: beaconUUID)
    var uuid: BeaconUUID?

    @Option(help: "The beacon's group, 0 to 65535.")
    var major: UInt16?

    @Option(help: "The beacon's number in its group, 0 to 65535.")
    var minor: UInt16?

    // Every value begins with a minus.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The RSSI at one metre in dBm, from which receivers estimate the distance.", valueName: "dBm"))
    var measuredPower: Int8 = -59

    @Option(
        help: "The beacon of this region in beacons.json, in place of --uuid, --major and --minor.",
        completion: .regions)
    var region: String?

    func validate() throws {
        guard (region == nil) != (uuid == nil) else {
            throw ValidationError("name the beacon with --uuid, --major and --minor, or with --region")
        }
        guard (-127 ... -1).contains(measuredPower) else {
            throw ValidationError("--measured-power takes the signal at one metre, -127 to -1 dBm; -59 is usual")
        }
        guard region == nil || (major == nil && minor == nil) else {
            throw ValidationError("--region includes major and minor; leave out --major and --minor")
        }
        guard region != nil || (major != nil && minor != nil) else {
            throw ValidationError("the beacon is incomplete; add --major and --minor")
        }
    }

    func run() async throws {
        let frame = IBeaconFrame(identity: try identity(), measuredPower: measuredPower)
        try await withPeripheralManager(adapter: bluetooth.adapter, fallback: KernelAdvertising()) { manager in
            try manager.startAdvertising(Advertisement(frame))
            try await PeripheralSession(manager: manager, logger: log.logger).run(
                saying: "advertising \(frame.identity), \(measuredPower) dBm at one metre")
        }
    }

    private func identity() throws -> BeaconIdentity {
        if let uuid, let major, let minor { return BeaconIdentity(uuid: uuid, major: major, minor: minor) }
        let constraint = try config.beacons(region ?? "")
        guard let major = constraint.major, let minor = constraint.minor else {
            throw ValidationError(
                "the region \"\(region ?? "")\" is any beacon of \(constraint); name one with --uuid, --major and --minor"
            )
        }
        return BeaconIdentity(uuid: constraint.uuid, major: major, minor: minor)
    }
}

private func beaconUUID(_ text: String) throws -> BeaconUUID {
    guard let uuid = BeaconUUID(text) else {
        throw ValidationError("--uuid takes 32 hexadecimal digits, such as \(BeaconUUID(high: 0, low: 0))")
    }
    return uuid
}

extension Advertisement {
    /// As Apple has it (Proximity Beacon Specification R1): not connectable, ten times a second.
    fileprivate init(_ frame: IBeaconFrame) {
        let bytes = frame.manufacturerSpecificData
        let company = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        self.init(.broadcast, manufacturerData: [company: Array(bytes.dropFirst(2))], interval: .milliseconds(100))
    }
}
