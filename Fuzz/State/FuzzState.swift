import OkaeriFuzzSupport
import OkaeriAutomation
import OkaeriChecksum
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import OkaeriWiFi
import RegionMonitoring
@testable import OkaeriDaemon

/// The parts of the state that the daemon keeps.
let parts: [any PersistedMemory.Type] = [
    PresenceMemory.self, PromptMemory.self, PeripheralsMemory.self, EventsMemory.self,
]

/// The input is the state file, whole, or without the checksum at its end: that is added then.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](input(start, count))
    check(bytes)
    let checksum = CRC32(of: bytes[...]).description
    check(bytes + Array(",\"checksum\":\"\(checksum)\"}\n".utf8))
    return 0
}

/// Checks that accepted state is written as it was read, and that a daemon that goes on from it has the same values.
private func check(_ text: [UInt8]) {
    do throws(StateFileError) {
        let state = try PersistedState(text: text, parts)
        guard let written = try? state.text else { return require(false, "the state cannot be written") }
        require(try PersistedState(text: written, parts) == state, "the state is written as another one")
        require(try PersistedState(text: written, parts).text == written, "the state is written differently each time")
        guard let presence = state[PresenceMemory.self], let prompts = state[PromptMemory.self],
            let peripherals = state[PeripheralsMemory.self], let events = state[EventsMemory.self]
        else { return require(false, "a part of the state is lost") }
        require(peripherals.isOccupied == (peripherals.peripherals != nil), "nobody is there, and somebody is")
        require(
            presence.monitorMemory(isStale: true).regions.allSatisfy { $0.lastKnown == .unknown },
            "a state that is too old says where somebody is")
        goOn(from: presence.monitorMemory(isStale: false), state.written)
        goOn(from: prompts)
        goOn(from: events)
    } catch {
        requireWords(error)
    }
}
