import FoundationEssentials
import Plumbing

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
}
