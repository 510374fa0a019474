import CGIO

/// A GVariant that holds a tuple. Its type is to be checked first.
extension OpaquePointer {
    func hasType(_ type: String) -> Bool {
        String(cString: g_variant_get_type_string(self)) == type
    }

    func number(at index: Int) -> UInt32 {
        let child = g_variant_get_child_value(self, gsize(index))
        defer { g_variant_unref(child) }
        return g_variant_get_uint32(child)
    }

    func string(at index: Int) -> String {
        let child = g_variant_get_child_value(self, gsize(index))
        defer { g_variant_unref(child) }
        return g_variant_get_string(child, nil).map { String(cString: $0) } ?? ""
    }

    func strings(at index: Int) -> [String] {
        guard let child = g_variant_get_child_value(self, gsize(index)) else { return [] }
        defer { g_variant_unref(child) }
        return (0..<g_variant_n_children(child)).map { child.string(at: Int($0)) }
    }
}
