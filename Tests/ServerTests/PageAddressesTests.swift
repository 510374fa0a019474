import Glibc
import OkaeriPlumbing
import Testing

@testable import OkaeriServer

@Suite struct PageAddressesTests {
    @Test func `the kernel's table gives the usable IPv6 addresses of interfaces that are up, by the interface`() {
        let table = """
            20010db8000000000000000000000007 03 40 00 80    wlan0
            fe8000000000000000fc00fffe000001 02 40 20 80     eth0
            00000000000000000000000000000001 01 80 10 80       lo
            fd000000000000000000000000000002 02 40 00 82     eth0
            fd000000000000000000000000000003 02 40 00 c0     eth0
            fd000000000000000000000000000004 02 40 00 88     eth0
            fd000000000000000000000000000005 04 40 00 80     eth1

            """
        let addresses = PageAddresses.version6(in: table) { $0 != "eth1" }
        #expect(addresses.map(\.description) == ["fd00::2", "2001:db8::7"])
    }

    @Test(arguments: ["", "\n", "fd00", "zz000000000000000000000000000002 02 40 00 82 eth0", "1 2 3 4 5 6 7"])
    func `a table that the kernel would not write gives no address`(table: String) {
        #expect(PageAddresses.version6(in: table) { _ in true }.isEmpty)
    }

    @Test func `an open listener has the addresses that the C library finds`() throws {
        var first: UnsafeMutablePointer<ifaddrs>?
        try #require(getifaddrs(&first) == 0)
        defer { freeifaddrs(first) }
        let entries = sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap(\.self)
        let names = entries.compactMap { entry -> String? in
            guard let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0,
                address.pointee.sa_family == AF_INET
            else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let expected = names.filter { IPAddress($0)?.isLoopback == false }.map { "http://\($0):80/" }
        let listen = try #require(ListenAddress("0.0.0.0:80"))
        #expect(PageAddresses.list(listen, hosts: []) == (expected.isEmpty ? ["http://127.0.0.1:80/"] : expected))
    }
}
