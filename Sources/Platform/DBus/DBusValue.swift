import COkaeriGIO

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
    /// The content of a variant, however deep; the value itself if it is not one.
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

extension DBusValue {
    /// The value as GLib has it, floating; for a call without ``Bus``.
    package var gVariant: OpaquePointer? { variant }

    /// The value as GLib has it, floating; nil for what D-Bus forbids: an object path that is not one, a member of another
    /// type than its array's.
    var variant: OpaquePointer? {
        switch self {
        case .boolean(let value): g_variant_new_boolean(value ? 1 : 0)
        case .byte(let value): g_variant_new_byte(value)
        case .int16(let value): g_variant_new_int16(value)
        case .uint16(let value): g_variant_new_uint16(value)
        case .int32(let value): g_variant_new_int32(value)
        case .uint32(let value): g_variant_new_uint32(value)
        case .int64(let value): g_variant_new_int64(gint64(value))
        case .uint64(let value): g_variant_new_uint64(guint64(value))
        case .double(let value): g_variant_new_double(value)
        case .string(let value): g_variant_new_string(value)
        case .objectPath(let value): g_variant_is_object_path(value) != 0 ? g_variant_new_object_path(value) : nil
        case .signature(let value): g_variant_is_signature(value) != 0 ? g_variant_new_signature(value) : nil
        case .bytes(let value): value.withUnsafeBytes { okaeri_variant_bytes($0.baseAddress, gsize($0.count)) }
        case .array(let element, let values): container(values, of: element) { $0.variant }
        case .dictionary(let key, let value, let entries):
            container(
                entries.sorted { $0.key.precedes($1.key) }.map { .structure([$0, $1]) }, of: "(\(key)\(value))",
                Self.entry)
        case .structure(let members): container(members, of: nil) { $0.variant }
        case .variant(let inner): inner.variant.map { g_variant_new_variant($0) }
        }
    }

    /// - Parameter type: The type of all members; `nil` for a structure, where each may be another.
    private func container(
        _ members: [DBusValue], of type: String?, _ variant: (DBusValue) -> OpaquePointer?
    ) -> OpaquePointer? {
        let signature = self.type
        guard g_variant_is_signature(signature) != 0 else { return nil }
        let builder = okaeri_variant_builder(signature)
        defer { g_variant_builder_unref(builder) }
        for member in members {
            guard type == nil || member.type == type, let child = variant(member) else { return nil }
            g_variant_builder_add_value(builder, child)
        }
        return g_variant_builder_end(builder)
    }

    /// Whether an entry with this key is sent before one with the other: what is the same is sent the same each time.
    private func precedes(_ other: DBusValue) -> Bool {
        switch (self, other) {
        case (.boolean(let own), .boolean(let other)): !own && other
        case (.uint64(let own), .uint64(let other)): own < other
        case (.double(let own), .double(let other)): own < other
        case (.signature(let own), .signature(let other)): own < other
        default:
            if let own = integer, let other = other.integer {
                own < other
            } else {
                (string ?? "") < (other.string ?? "")
            }
        }
    }

    private static func entry(_ pair: DBusValue) -> OpaquePointer? {
        guard case .structure(let pair) = pair, let key = pair.first?.variant, let value = pair.last?.variant else {
            return nil
        }
        return g_variant_new_dict_entry(key, value)
    }

    /// Reads a value of GLib's; nil for types that D-Bus does not have.
    package init?(_ variant: OpaquePointer) {
        let type = String(cString: g_variant_get_type_string(variant))
        switch type {
        case "b": self = .boolean(g_variant_get_boolean(variant) != 0)
        case "y": self = .byte(g_variant_get_byte(variant))
        case "n": self = .int16(g_variant_get_int16(variant))
        case "q": self = .uint16(g_variant_get_uint16(variant))
        case "i": self = .int32(g_variant_get_int32(variant))
        case "u": self = .uint32(g_variant_get_uint32(variant))
        case "x": self = .int64(Int64(g_variant_get_int64(variant)))
        case "t": self = .uint64(UInt64(g_variant_get_uint64(variant)))
        case "d": self = .double(g_variant_get_double(variant))
        case "s": self = .string(Self.text(variant))
        case "o": self = .objectPath(Self.text(variant))
        case "g": self = .signature(Self.text(variant))
        case "h": self = .int32(g_variant_get_handle(variant))
        case "v":
            guard let inner = Self.children(of: variant)?.first else { return nil }
            self = .variant(inner)
        case "ay":
            var count: gsize = 0
            let bytes = g_variant_get_fixed_array(variant, &count, 1)
            self = .bytes([UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count))))
        default:
            guard let children = Self.children(of: variant) else { return nil }
            if type.hasPrefix("a{") {
                // The key of an entry is one of the basic types, all of them a single letter.
                let (key, value) = (String(type.dropFirst(2).prefix(1)), String(type.dropFirst(3).dropLast()))
                let entries = children.compactMap(\.pair)
                self = .dictionary(key: key, value: value, Dictionary(entries, uniquingKeysWith: { $1 }))
            } else if type.hasPrefix("a") {
                self = .array(element: String(type.dropFirst()), children)
            } else if type.hasPrefix("(") || type.hasPrefix("{") {
                self = .structure(children)
            } else {
                return nil
            }
        }
    }

    private var pair: (DBusValue, DBusValue)? {
        guard case .structure(let members) = self, members.count == 2 else { return nil }
        return (members[0], members[1])
    }

    private static func text(_ variant: OpaquePointer) -> String {
        g_variant_get_string(variant, nil).map { String(cString: $0) } ?? ""
    }

    private static func children(of variant: OpaquePointer) -> [DBusValue]? {
        var children: [DBusValue] = []
        for index in 0..<g_variant_n_children(variant) {
            guard let child = g_variant_get_child_value(variant, index) else { return nil }
            defer { g_variant_unref(child) }
            guard let value = DBusValue(child) else { return nil }
            children.append(value)
        }
        return children
    }
}
