import Events
import FoundationEssentials
import Plumbing

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
        var body = [UInt8(ascii: "{")] + (try Self.members(of: Head(version: state.version, written: state.written)))
        for piece in encoded where !piece.members.isEmpty {
            body.append(UInt8(ascii: ","))
            body += piece.members
        }
        return body + PersistedState.mark.before + Array(CRC32(of: body[...]).description.utf8)
            + PersistedState.mark.after
    }

    /// Without the braces around them.
    private static func members(of piece: some Encodable) throws -> [UInt8] {
        Array(try JSON.encoder(.sortedKeys).encode(piece).dropFirst().dropLast())
    }
}

extension Equatable {
    fileprivate func isEqual(to other: any Equatable) -> Bool { (other as? Self) == self }
}
