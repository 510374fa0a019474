import Glibc
import OkaeriSystemd
import OkaeriTestSupport
import Testing

@Suite struct ServiceManagerTests {
    @Test(arguments: [false, true])
    func `messages go to the socket as one datagram`(isAbstract: Bool) throws {
        let systemd = try #require(DatagramReceiver(isAbstract: isAbstract))
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": systemd.address]))
        manager.notify(.ready, .status("home: inside"))
        #expect(systemd.nextText() == "READY=1\nSTATUS=home: inside")
        manager.notify(.watchdog)
        #expect(systemd.nextText() == "WATCHDOG=1")
        manager.notify(.stopping)
        #expect(systemd.nextText() == "STOPPING=1")
    }

    @Test func `a reload is notified with its time`() throws {
        let systemd = try #require(DatagramReceiver())
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": systemd.address]))
        manager.notify(.reloading)
        let first = try #require(systemd.nextText())
        #expect(first.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        manager.notify(.reloading)
        let second = try #require(systemd.nextText())
        let times = [first, second].compactMap { $0.split(separator: "=").last.flatMap { Int64($0) } }
        #expect(times.count == 2 && times == times.sorted() && times.first ?? 0 > 0)
    }

    @Test func `a sentence is one line, and not too long for systemd`() throws {
        let systemd = try #require(DatagramReceiver())
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": systemd.address]))
        manager.notify(.status("home\nREADY=1\r\n"))
        #expect(systemd.nextText() == "STATUS=home READY=1  ")
        manager.notify(.status(String(repeating: "家", count: 100_000)))
        #expect(try #require(systemd.next()).count < 4096)
    }

    @Test(arguments: ["", "@", "relative", "vsock:2:1", "/" + String(repeating: "x", count: 107)])
    func `such an address has no listener`(address: String) {
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": address]) == nil)
        #expect(ServiceManager(environment: [:]) == nil)
    }

    @Test func `a manager that is gone does no harm`() throws {
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/notify"]))
        manager.notify(.ready)
    }

    @Test func `the watchdog is this process's or none`() throws {
        func interval(_ environment: [String: String]) throws -> Duration? {
            let environment = environment.merging(["NOTIFY_SOCKET": "/nowhere/notify"]) { own, _ in own }
            return try #require(ServiceManager(environment: environment)).watchdogInterval
        }
        #expect(try interval([:]) == nil)
        #expect(try interval(["WATCHDOG_USEC": "300000000"]) == .seconds(300))
        #expect(try interval(["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(300))
        #expect(try interval(["WATCHDOG_USEC": "300000000", "WATCHDOG_PID": "1"]) == nil)
        for junk in ["", "0", "-5", "+5", "soon", "99999999999999999999"] {
            #expect(try interval(["WATCHDOG_USEC": junk]) == nil)
        }
    }
}
