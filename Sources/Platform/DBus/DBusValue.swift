/// A value of D-Bus's type system (D-Bus Specification, "Type System").
package indirect enum DBusValue: Hashable, Sendable {
    case boolean(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)

    /// An array of bytes, `ay`.
    case bytes([UInt8])

    /// Any other array; `element` is the signature of its members, which an empty array does not show.
    case array(element: String, [DBusValue])

    /// An array of dictionary entries, `a{…}`.
    case dictionary(key: String, value: String, [DBusValue: DBusValue])

    case structure([DBusValue])
    case variant(DBusValue)

    package var type: String {
        switch self {
        case .boolean: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let members): "(\(members.map(\.type).joined()))"
        case .variant: "v"
        }
    }
}

// MARK: Making

extension DBusValue {
    /// Named values of any type, `a{sv}`, as properties and options are passed.
    package static func properties(_ values: [String: DBusValue]) -> DBusValue {
        let entries = values.map { (DBusValue.string($0), DBusValue.variant($1)) }
        return .dictionary(key: "s", value: "v", Dictionary(uniqueKeysWithValues: entries))
    }

    /// Strings, `as`.
    package static func strings(_ strings: [String]) -> DBusValue {
        .array(element: "s", strings.map { .string($0) })
    }
}

// MARK: Reading

extension DBusValue {
    /// The content of a variant, however deep; the value itself if it is none.
    package var unwrapped: DBusValue {
        guard case .variant(let inner) = self else { return self }
        return inner.unwrapped
    }

    package var boolean: Bool? {
        guard case .boolean(let value) = unwrapped else { return nil }
        return value
    }

    /// An integer of any width that fits.
    package var integer: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        case .boolean, .double, .string, .objectPath, .signature, .bytes, .array, .dictionary, .structure, .variant: nil
        }
    }

    /// A string or an object path.
    package var string: String? {
        switch unwrapped {
        case .string(let value), .objectPath(let value): value
        case .boolean, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .signature, .bytes, .array,
            .dictionary, .structure, .variant:
            nil
        }
    }

    package var bytes: [UInt8]? {
        guard case .bytes(let value) = unwrapped else { return nil }
        return value
    }

    package var array: [DBusValue]? {
        guard case .array(_, let values) = unwrapped else { return nil }
        return values
    }

    /// Strings or object paths, those that are.
    package var strings: [String]? { array.map { $0.compactMap(\.string) } }

    package var dictionary: [DBusValue: DBusValue]? {
        guard case .dictionary(_, _, let entries) = unwrapped else { return nil }
        return entries
    }

    /// Named values, `a{sv}`, out of their variants.
    package var properties: [String: DBusValue]? {
        guard case .dictionary("s", _, let entries) = unwrapped else { return nil }
        return entries.reduce(into: [:]) { properties, entry in
            if let name = entry.key.string { properties[name] = entry.value.unwrapped }
        }
    }
}
