@testable import OkaeriBluetooth
import Foundation
import OkaeriTestSupport
import Testing

/// Tests that depend on the files of /proc and /sys; the parts are internal.
@Suite struct LinuxKernelTests {
    @Test func `capabilities are bits of the mask`() {
        let status = "Name:\tokaeri\nCapPrm:\t0000000000003000\nCapEff:\t0000000000002000\nCapBnd:\tffffffffffffffff\n"
        #expect(Capability.rawSockets.isEffective(in: status) == true)
        #expect(Capability.networkAdministration.isEffective(in: status) == false)
        #expect(Capability.rawSockets.isEffective(in: "Name:\tokaeri\n") == nil)
        #expect(Capability.rawSockets.isEffective(in: "CapEff:\tnonsense\n") == nil)
        #expect(Capability.rawSockets.isEffective != nil)
    }

    @Test(arguments: [
        ([:], Adapter.RadioBlock.none), (["rfkill3/soft": "0\n", "rfkill3/hard": "0\n"], .none),
        (["rfkill3/soft": "1\n", "rfkill3/hard": "0\n"], .soft),
        (["rfkill3/soft": "1\n", "rfkill3/hard": "1\n"], .hard),
        (["power/soft": "1\n"], .none),
    ])
    func `radio switches are files`(_ files: [String: String], _ block: Adapter.RadioBlock) throws {
        let folder = try TemporaryFolder()
        for (path, text) in files {
            let file = URL(filePath: "\(folder.path)/hci0/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        #expect(RadioSwitches(folder: folder.path).block(of: "hci0") == block)
    }

    @Test func `the clock runs forward`() {
        let kernel = LinuxKernel()
        let first = kernel.now()
        #expect(first > 0)
        #expect(kernel.now() >= first)
    }

    @Test func `the diagnosis finds what the kernel reports`() throws {
        let adapters = [Adapter(index: 0, name: "hci0", isUp: false, radioBlock: .soft)]
        let diagnosis = AdapterDiagnosis(kernel: FakeKernel(adapters))
        #expect(try diagnosis.adapters.get() == adapters)
        #expect(diagnosis.mayScan == Capability.rawSockets.isEffective)
    }
}
