@testable import OkaeriConfiguration

/// A JSON value as FoundationEssentials reads it.
enum OtherNode: Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([OtherNode])
    case object([String: OtherNode])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([OtherNode].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: OtherNode].self))
        }
    }

    func isSame(as node: JSONNode) -> Bool {
        switch (self, node.value) {
        case (.null, .null): true
        case (.bool(let own), .bool(let other)): own == other
        case (.number(let own), .number(let other)): own == other
        case (.string(let own), .string(let other)): own.utf8.elementsEqual(other.utf8)
        case (.array(let own), .array(let other)):
            own.count == other.count && zip(own, other).allSatisfy { $0.isSame(as: $1) }
        case (.object(let own), .object(let other)):
            own.count == other.count && other.allSatisfy { own[$0.key]?.isSame(as: $0.node) ?? false }
        default: false
        }
    }
}
