import OkaeriControllerEmulation
@testable import VirtualController
import Glibc
import HCI
import Testing

/// The whole program but its command line, with a socket pair for /dev/vhci and pipes for the FIFO and the log.
@Suite struct ControllerLoopTests {
    private let setUp = [
        HCICommand(Reset()), HCICommand(SetEventMask(mask: .max)), HCICommand(LESetEventMask(mask: .max)),
        HCICommand(LESetScanParameters(timing: .continuous)), HCICommand(LESetScanEnable(isEnabled: true)),
    ]

    @Test func `a host finds a controller`() async throws {
        let host = try Host()
        let end = try host.run(script: "\(home) interval=20ms rssi=-66\nwait scan\nstart home")
        #expect(try host.receive() == [0xFF, 0x00])
        try host.send([0xFF, 0x00, 0x07, 0x00])
        for command in setUp {
            #expect(try host.obey(command) == 0)
        }
        for _ in 0..<5 {
            #expect(readReports(try host.receive()).reports.map(\.rssi) == [-66])
        }
        try host.writeControl("stop home\nbogus\nqu")
        try host.writeControl("it 4\nlog never\n")
        #expect(await end.first { _ in true } == .success(4))
        let log = try host.log()
        #expect(log.first?.hasSuffix(" controller hci7 created (legacy) address=02:00:00:00:00:01") == true)
        #expect(log.contains { $0.hasSuffix(" first advert home rssi=-66") })
        #expect(log.contains { $0.contains(" error control:2: found 'bogus'") })
        #expect(!log.contains { $0.hasSuffix("never") })
        let pattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z .+/
        #expect(log.allSatisfy { $0.wholeMatch(of: pattern) != nil })
    }

    @Test func `an adapter that vanishes is closed and opened again`() async throws {
        let host = try Host(devices: 2)
        let end = try host.run(script: "")
        #expect(try host.receive() == [0xFF, 0x00])
        try host.writeControl("vanish\n")
        #expect(throws: Host.Gone.self) { try host.receive() }
        try host.writeControl("return\n")
        #expect(try host.receive(1) == [0xFF, 0x00])
        try host.obey(HCICommand(Reset()), 1)
        try host.writeControl("quit\n")
        #expect(await end.first { _ in true } == .success(0))
    }

    @Test func `a flood waits for the host`() async throws {
        let host = try Host()
        let end = try host.run(script: "wait scan\nflood count=5000 addresses=100")
        #expect(try host.receive() == [0xFF, 0x00])
        for command in setUp.dropLast() { try host.obey(command) }
        try host.obey(setUp[4])
        // More than a socket holds: it comes as it is taken.
        var reports = 0
        while reports < 5000 {
            reports += readReports(try host.receive()).reports.count
        }
        try host.writeControl("quit\n")
        #expect(await end.first { _ in true } == .success(0))
        #expect(try host.log().last?.hasSuffix(" flood done count=5000 heard=5000") == true)
    }

    @Test func `a device that is taken away is an error`() async throws {
        let host = try Host()
        let end = try host.run(script: "")
        #expect(try host.receive() == [0xFF, 0x00])
        host.hangUp()
        let error = SystemError(operation: "receiving from the host", code: EPIPE, advice: "the device was taken away")
        #expect(await end.first { _ in true } == .failure(error))
        #expect(error.exitStatus == 74)
        #expect(error.description == "receiving from the host failed: Broken pipe (32); the device was taken away")
    }

    @Test func `without a device there is nothing to do`() async throws {
        let host = try Host(devices: 0)
        let end = try host.run(script: "")
        let error = SystemError(operation: "opening", code: ENOENT)
        #expect(await end.first { _ in true } == .failure(error))
        #expect(error.exitStatus == 69)
        #expect(SystemError(operation: "opening", code: EACCES).exitStatus == 77)
    }
}
