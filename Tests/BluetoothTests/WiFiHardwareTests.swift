@testable import OkaeriBluetooth
import Foundation
import OkaeriTestSupport
import Testing

/// sysfs as the kernel makes it on machines with a stick, a combined card and a combined stick.
@Suite struct WiFiHardwareTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var hardware: WiFiHardware { WiFiHardware(classes: folder.path + "/class") }

    private func file(_ path: String, _ text: String) throws {
        let url = URL(filePath: "\(folder.path)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func link(_ path: String, to target: String) throws {
        let url = URL(filePath: "\(folder.path)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let destination = "\(folder.path)/\(target)"
        try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: destination)
    }

    private func stick(removable: String?) throws {
        try link("class/bluetooth/hci0/device", to: "devices/usb1/1-1/1-1:1.0")
        if let removable { try file("devices/usb1/1-1/removable", removable + "\n") }
    }

    private func wifi(_ device: String, bus: String) throws {
        try link("class/ieee80211/phy0/device", to: device)
        try link("\(device)/subsystem", to: "bus/\(bus)")
    }

    @Test(arguments: [("removable", true), ("unknown", true), (nil, true), ("fixed", false)])
    func `a USB adapter is a stick unless its port is fixed`(_ removable: String?, _ isStick: Bool) throws {
        try stick(removable: removable)
        #expect(!hardware.isPresent)
        #expect(hardware.isStick("hci0") == isStick)
    }

    @Test(arguments: [("removable", true), ("unknown", false)])
    func `a USB adapter beside Wi-Fi on PCI is a stick only if its port is removable`(
        _ removable: String, _ isStick: Bool
    ) throws {
        try stick(removable: removable)
        try wifi("devices/pci0/0000:01:00.0", bus: "pci")
        #expect(hardware.isPresent)
        #expect(hardware.isStick("hci0") == isStick)
    }

    @Test func `a stick beside the Wi-Fi of a Raspberry Pi has an antenna of its own`() throws {
        try stick(removable: "unknown")
        try wifi("devices/mmc1/mmc1:0001:1", bus: "sdio")
        #expect(hardware.isStick("hci0"))
    }

    @Test func `a stick for Wi-Fi and Bluetooth has one antenna`() throws {
        try stick(removable: "removable")
        try wifi("devices/usb1/1-1/1-1:1.2", bus: "usb")
        #expect(!hardware.isStick("hci0"))
    }

    @Test func `an adapter without a device, as in a virtual machine, is not a stick`() {
        #expect(!hardware.isStick("hci0"))
    }
}
