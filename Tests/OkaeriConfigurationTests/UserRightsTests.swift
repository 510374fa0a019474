import Glibc
import Testing

@testable import OkaeriConfiguration

@Suite struct UserRightsTests {
    private struct Refused: Error {}

    /// Calls prctl(2), which Swift does not import because of its form.
    private static func control(_ operation: CInt, _ value: CUnsignedLong = 0) throws -> CInt {
        typealias Control = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        let symbol = try #require(dlsym(nil, "prctl"))
        return unsafeBitCast(symbol, to: Control.self)(operation, value, 0, 0, 0)
    }

    /// PR_GET_DUMPABLE.
    private static func isDumped() throws -> Bool { try control(3) != 0 }

    /// PR_SET_DUMPABLE, as a change of the user does on a system whose fs.suid_dumpable is not 0.
    private static func allowDumps() throws { _ = try control(4, 1) }

    /// In a process of its own, because the rights are those of the whole process.
    @Test(.enabled(if: geteuid() == 0))
    func `the memory of root is not dumped after it had the rights of a user`() async {
        await #expect(processExitsWith: .success) {
            try Self.allowDumps()
            #expect(try Self.isDumped())
            try UserRights(user: 65_534, group: 65_534)({ _ in Refused() }) {
                #expect(geteuid() == 65_534)
                #expect(try !Self.isDumped())
                try Self.allowDumps()
            }
            #expect(geteuid() == 0)
            #expect(try !Self.isDumped())
        }
    }
}
