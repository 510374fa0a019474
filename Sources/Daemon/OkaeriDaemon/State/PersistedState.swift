import FoundationEssentials
import OkaeriChecksum
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import SystemPackage

/// The persisted state of the daemon, as in the file: the time of writing, and the memory of each part of the program.
struct PersistedState: Sendable {
    /// The layout that is written, and those that are read: version 1 had another form of what was learned.
    static let version = 2
    static let versions = 1...2

    var version = Self.version
    var written: StateStamp
    var parts: [any PersistedMemory]

    /// The memory of a part; `nil` if there is no such part.
    subscript<Memory: PersistedMemory>(_ type: Memory.Type) -> Memory? {
        get { parts.lazy.compactMap { $0 as? Memory }.first }
        set {
            guard let index = parts.firstIndex(where: { $0 is Memory }), let newValue else { return }
            parts[index] = newValue
        }
    }

    /// Whether a region is inside: then the duration of that matters for the next start.
    var isOccupied: Bool { parts.contains(where: \.isOccupied) }

    /// Whether the same is known, but for what merely ages.
    func hasSameContent(as other: PersistedState) -> Bool { isSame(as: other) { $0.content } }

    /// Whether the same is known, but for what changes all the time.
    func isSameApartFromLearning(as other: PersistedState) -> Bool { isSame(as: other) { $0.comparable } }

    /// The same state with what was learned replaced by that of an earlier one.
    func learning(asIn earlier: PersistedState) -> PersistedState {
        PersistedState(written: written, parts: zip(parts, earlier.parts).map { $0.learning(asInAny: $1) })
    }

    private func isSame(as other: PersistedState, _ part: (any PersistedMemory) -> any PersistedMemory) -> Bool {
        parts.count == other.parts.count && zip(parts, other.parts).allSatisfy { part($0).isEqual(to: part($1)) }
    }
}

extension PersistedState: Equatable {
    static func == (first: PersistedState, second: PersistedState) -> Bool {
        first.version == second.version && first.written == second.written && first.isSame(as: second) { $0 }
    }
}

extension PersistedMemory {
    fileprivate func isEqual(to other: any PersistedMemory) -> Bool { (other as? Self) == self }

    fileprivate func learning(asInAny earlier: any PersistedMemory) -> Self {
        (earlier as? Self).map { learning(asIn: $0) } ?? self
    }
}

extension PersistedState {
    private enum Key: String, CodingKey {
        case written
    }

    /// Decodes the parts that are asked for.
    struct Reader: DecodableWithConfiguration {
        let state: PersistedState

        init(from decoder: any Decoder, configuration types: [any PersistedMemory.Type]) throws {
            let members = try decoder.container(keyedBy: Key.self)
            var state = PersistedState(written: try members.decode(StateStamp.self, forKey: .written), parts: [])
            state.parts = try types.map { try $0.init(from: decoder) }
            self.state = state
        }
    }
}

/// The file is one JSON object. Its last member is a checksum over all the bytes before it: a file that was cut, or in which
/// a card has forgotten a block, is known for what it is.
extension PersistedState {
    /// The text before the checksum's eight hexadecimal digits, and after them.
    static let mark = (before: Array(",\"checksum\":\"".utf8), after: Array("\"}\n".utf8))

    var text: [UInt8] {
        get throws {
            var encoder = StateEncoder()
            return try encoder.text(of: self)
        }
    }

    /// Returns the text of an object with these members, and the checksum as its last one.
    fileprivate static func text(ofMembers members: [[UInt8]]) -> [UInt8] {
        let body = [UInt8(ascii: "{")] + members.joined(separator: [UInt8(ascii: ",")])
        return body + mark.before + Array(CRC32(of: body[...]).description.utf8) + mark.after
    }

    /// - Parameter types: the parts that are to be read.
    init(text: [UInt8], _ types: [any PersistedMemory.Type]) throws(StateFileError) {
        let tail = Self.mark.before.count + CRC32.length + Self.mark.after.count
        guard text.count > tail else { throw .damaged("it is cut") }
        let body = text.dropLast(tail)
        let version = try Self.understand { try JSONDecoder().decode(Version.self, from: Data(text)) }
        let expected = Self.mark.before + Array(CRC32(of: body).description.utf8) + Self.mark.after
        guard version.version <= Self.version else { throw .newer(layout: version.version) }
        guard text.suffix(tail) == expected[...] else { throw .damaged("its checksum is wrong") }
        guard Self.versions.contains(version.version) else { throw .damaged("there is no layout \(version.version)") }
        self = try Self.understand {
            try JSONDecoder().decode(Reader.self, from: Data(text), configuration: types).state
        }
    }

    private struct Version: Decodable {
        var version: Int
    }

    private static func understand<Value>(_ decode: () throws -> Value) throws(StateFileError) -> Value {
        do {
            return try decode()
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw .damaged(context.debugDescription)
        } catch {
            throw .damaged("it is cut, or no state")
        }
    }
}

/// The text of `state.json`, for a program beside the daemon.
package enum StateText {
    /// Returns the reason why the daemon would reject the text, apart from the values of its parts; `nil` if there is none.
    package static func problem(of text: [UInt8]) -> String? {
        do throws(StateFileError) {
            _ = try PersistedState(text: text, [])
            return nil
        } catch {
            return error.description
        }
    }

    /// The member with the logins of the page.
    private static let logins = "webDevices"

    /// Returns the names of the browsers that are logged in, by the text.
    package static func logins(in text: [UInt8]) -> [String] {
        guard case .array(let devices) = (try? JSONNode(json: text, file: ""))?[logins]?.value else { return [] }
        return devices.map { if case .string(let name) = $0["name"]?.value { name } else { "a browser" } }
    }

    /// Returns the text with the logins of another one in place of its own; `nil` if it is not a state.
    ///
    /// - Parameter present: A text without logins, a damaged one and `nil` leave none.
    package static func replacingLogins(in text: [UInt8], byThoseOf present: [UInt8]?) -> [UInt8]? {
        guard let node = try? JSONNode(json: text, file: ""), case .object = node.value else { return nil }
        let own = node.value.members.filter { ![logins, "checksum"].contains($0.key) }
        var members = own.map { Array(text[$0.start..<$0.node.range.upperBound]) }
        if let present, problem(of: present) == nil,
            let kept = (try? JSONNode(json: present, file: ""))?.value.members.first(where: { $0.key == logins })
        {
            members.append(Array(present[kept.start..<kept.node.range.upperBound]))
        }
        return PersistedState.text(ofMembers: members)
    }
}

/// Encodes one state after another. A piece that is the same as in the state before is not encoded again.
struct StateEncoder {
    private struct Head: Encodable {
        let version: Int
        let written: StateStamp
    }

    private struct Encoded {
        let piece: any KeptPiece
        let members: [UInt8]
    }

    /// The pieces of the latest state, in order.
    private var encoded: [Encoded] = []

    /// The members of all pieces side by side in one object, with the checksum as its last member.
    mutating func text(of state: PersistedState) throws -> [UInt8] {
        let pieces = state.parts.flatMap(\.pieces)
        encoded = try pieces.enumerated().map { place, piece in
            if encoded.indices.contains(place), piece.isEqual(to: encoded[place].piece) { return encoded[place] }
            return Encoded(piece: piece, members: try Self.members(of: piece))
        }
        let head = try Self.members(of: Head(version: state.version, written: state.written))
        return PersistedState.text(ofMembers: [head] + encoded.map(\.members).filter { !$0.isEmpty })
    }

    /// Without the braces around them.
    private static func members(of piece: some Encodable) throws -> [UInt8] {
        Array(try JSON.encoder(.sortedKeys).encode(piece).dropFirst().dropLast())
    }
}

extension Equatable {
    fileprivate func isEqual(to other: any Equatable) -> Bool { (other as? Self) == self }
}

/// The time of writing, on every clock that can give the age later.
///
/// The wall clock may jump by a year in either direction, and a machine without a clock of its own wakes up in the
/// past. The time since the machine's start does neither, but means something within one start only.
struct StateStamp: Codable, Equatable, Sendable {
    /// Nanoseconds since the Unix epoch.
    var wall: Int64

    /// The machine's start, by the kernel's identifier.
    var boot: String?

    /// Nanoseconds since then, sleep included.
    var uptime: Int64

    /// Returns the age at `now`; `nil` if it is unknown, because the wall clock was set back since.
    func age(at now: StateStamp) -> Duration? {
        let isSameBoot = boot != nil && boot == now.boot
        let (age, overflow) =
            isSameBoot
            ? now.uptime.subtractingReportingOverflow(uptime) : now.wall.subtractingReportingOverflow(wall)
        return age < 0 || overflow ? nil : .nanoseconds(age)
    }

    /// Whether the wall clock was not set from the one to the other, within one start of the machine.
    ///
    /// After the next start the wall clock alone gives the age: a time from before the clock was set has to be
    /// replaced.
    func isBySameClock(as other: StateStamp) -> Bool {
        var watch = ClockWatch(at: moment)
        return boot == other.boot && watch.looked(at: other.moment) == nil
    }

    private var moment: Moment { Moment(instant: uptime, wall: wall) }

    /// Now, on the machine's clocks.
    static var now: StateStamp {
        StateStamp(wall: KernelClock.realtime, boot: boot, uptime: KernelClock.boottime)
    }

    /// The unit gives it to a service that cannot read most of /proc.
    private static let boot: String? = {
        if let id = ProcessInfo.processInfo.environment["OKAERI_BOOT_ID"], !id.isEmpty { return plain(id) }
        let id = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 64)
        return id.map { plain(String(decoding: $0, as: UTF8.self)) }
    }()

    /// The kernel's spelling of it and systemd's differ in the hyphens.
    static func plain(_ id: String) -> String { id.filter(\.isHexDigit) }
}
