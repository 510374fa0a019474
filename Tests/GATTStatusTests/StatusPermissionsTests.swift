import Logging
import OkaeriClient
import OkaeriTestSupport
import Testing

@testable import BlueZ
@testable import OkaeriAgent

/// The permissions of the values, as bluetoothd receives them: bluetoothd enforces them.
@Suite struct StatusPermissionsTests {
    private func flags(isOpen: Bool, acceptsJustWorks: Bool = false) async -> [BluetoothUUID: Set<String>] {
        let peripheral = StatusPeripheral(
            client: { APIClient(socket: "/nowhere") }, manager: PeripheralManager(bus: "unix:path=/nowhere"),
            level: LogLevel(.notice), isOpen: isOpen, acceptsJustWorks: acceptsJustWorks, logger: quiet)
        let characteristics = await peripheral.service.characteristics
        return Dictionary(characteristics.map { ($0.uuid, Set($0.flags)) }, uniquingKeysWith: { $0.union($1) })
    }

    @Test func `nothing is read, notified or written over a link that is not encrypted`() async {
        let flags = await flags(isOpen: false)
        #expect(flags.count == 4)
        for (uuid, flags) in flags {
            #expect(flags.isDisjoint(with: ["read", "write"]), "\(uuid)")
            #expect(!flags.contains("notify") || flags.contains("encrypt-notify"), "\(uuid)")
            #expect(!flags.contains("indicate") || flags.contains("encrypt-indicate"), "\(uuid)")
            #expect(
                !flags.contains("write-without-response") || flags.contains("encrypt-authenticated-write"), "\(uuid)")
        }
    }

    @Test func `an answer takes a link that was authenticated, unless Just Works is accepted`() async {
        let strict = await flags(isOpen: false)
        let loose = await flags(isOpen: false, acceptsJustWorks: true)
        for uuid in [StatusProfile.answer, StatusProfile.logLevel] {
            #expect(strict[uuid]?.contains("encrypt-authenticated-write") == true, "\(uuid)")
            #expect(strict[uuid]?.contains("encrypt-write") == false, "\(uuid)")
            #expect(loose[uuid]?.contains("encrypt-write") == true, "\(uuid)")
        }
        for uuid in [StatusProfile.regionStates, StatusProfile.waitingPrompt] { #expect(loose[uuid] == strict[uuid]) }
    }

    @Test func `opened, all devices can read the region states, and nothing else`() async {
        let (closed, open) = (await flags(isOpen: false), await flags(isOpen: true))
        #expect(open[StatusProfile.regionStates] == ["read", "notify"])
        for uuid in [StatusProfile.waitingPrompt, StatusProfile.answer, StatusProfile.logLevel] {
            #expect(open[uuid] == closed[uuid], "\(uuid)")
        }
    }
}
