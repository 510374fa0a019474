/// The value of a column, or of a bound parameter.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    init(_ value: Int64?) { self = value.map(Self.integer) ?? .null }
    init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    init(_ value: Double?) { self = value.map(Self.real) ?? .null }
    init(_ value: String?) { self = value.map(Self.text) ?? .null }
}
