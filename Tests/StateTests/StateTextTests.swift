import Foundation
import OkaeriChecksum
import Testing

@testable import OkaeriDaemon

/// The text of `state.json`, as a restore changes it.
@Suite struct StateTextTests {
    private func text(_ members: String) -> [UInt8] {
        let body = #"{"version":2,"written":{"wall":1,"uptime":1},"regions":{"home":[1.5,-0.25]}\#(members)"#
        return Array((body + #","checksum":"\#(CRC32(of: Array(body.utf8)[...]))"}"# + "\n").utf8)
    }

    private func logins(_ name: String) -> String { #","webDevices":[{"name":"\#(name)","id":"abcdef"}]"# }

    @Test func `the logins of a text are replaced by those of another one`() {
        let (own, other) = (text(logins("own")), text(logins("other")))
        #expect(StateText.problem(of: own) == nil && StateText.logins(in: own) == ["own"])
        #expect(StateText.replacingLogins(in: own, byThoseOf: other) == other)
        #expect(StateText.replacingLogins(in: own, byThoseOf: own) == own)
        #expect(StateText.replacingLogins(in: text(""), byThoseOf: other) == other)
    }

    @Test func `without other logins there are none`() {
        let plain = text("")
        var damaged = text(logins("other"))
        damaged[20] ^= 1
        for present in [nil, plain, damaged, [], Array("{".utf8)] {
            #expect(StateText.replacingLogins(in: text(logins("own")), byThoseOf: present) == plain)
        }
        #expect(StateText.logins(in: plain).isEmpty)
    }

    @Test func `a text with two lists of logins is refused`() {
        let planted = text(logins("one") + logins("two"))
        #expect(StateText.replacingLogins(in: planted, byThoseOf: nil) == nil)
        #expect(StateText.replacingLogins(in: Array("[]".utf8), byThoseOf: nil) == nil)
        #expect(StateText.logins(in: Array("[]".utf8)).isEmpty)
    }
}
