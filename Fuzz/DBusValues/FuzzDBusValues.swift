import COkaeriGIO
@testable import OkaeriDBus
import OkaeriFuzzSupport

/// The input is a message as it comes from a bus, or a type and a value of it in GVariant's form: the signature, a zero
/// byte, and the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDBusValues(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    // No signature begins with what a message does: the letter of its byte order.
    if let first = bytes.first, "lB".utf8.contains(first) {
        readMessage(bytes)
    } else if let end = bytes.firstIndex(of: 0), let type = String(validating: bytes[..<end], as: UTF8.self) {
        readValue(of: type, UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
    }
    return 0
}

private func readMessage(_ bytes: UnsafeRawBufferPointer) {
    var blob = [UInt8](bytes)
    guard let message = g_dbus_message_new_from_blob(&blob, gsize(blob.count), G_DBUS_CAPABILITY_FLAGS_NONE, nil) else {
        return
    }
    defer { g_object_unref(gpointer(message)) }
    if let body = g_dbus_message_get_body(message) { check(body) }
}

private func readValue(of type: String, _ bytes: UnsafeRawBufferPointer) {
    // No value has an indefinite type; deeper ones no message may have.
    guard g_variant_type_string_is_valid(type) != 0, !type.contains(where: "r?*".contains), type.utf8.count < 256,
        type.utf8.count(where: "am({".utf8.contains) <= 64
    else { return }
    let variantType = g_variant_type_new(type)
    defer { g_variant_type_free(variantType) }
    let copy = g_bytes_new(bytes.baseAddress, gsize(bytes.count))
    defer { g_bytes_unref(copy) }
    guard let variant = g_variant_new_from_bytes(variantType, copy, 0) else { return }
    g_variant_ref_sink(variant)
    defer { g_variant_unref(variant) }
    check(variant)
}

/// A value of GLib's is one of ours, of the same type, and the same after GLib has had it.
private func check(_ variant: OpaquePointer) {
    let type = String(cString: g_variant_get_type_string(variant))
    guard let value = DBusValue(variant) else { return }
    checkReading(value)
    guard isSendable(variant) else { return }
    require(value.type == type, "a value of \(type) is one of \(value.type)")
    guard let sent = value.variant else { return require(false, "a value of \(type) cannot be sent") }
    g_variant_ref_sink(sent)
    defer { g_variant_unref(sent) }
    require(String(cString: g_variant_get_type_string(sent)) == type, "a value of \(type) is sent as another")
    // What is sent is compared: NaN does not equal another number.
    guard let again = DBusValue(sent)?.variant else { return require(false, "what was sent is not a value") }
    g_variant_ref_sink(again)
    defer { g_variant_unref(again) }
    require(
        g_variant_equal(gconstpointer(sent), gconstpointer(again)) != 0, "a value is another one after GLib has had it")
}

/// Whether a message can have it, and it is read as the type it has: a descriptor's handle is read as a number. A key that
/// may not be a number has no place in an order.
private func isSendable(_ variant: OpaquePointer) -> Bool {
    let type = String(cString: g_variant_get_type_string(variant))
    // GLib takes an entry outside of a dictionary for one, a message does not.
    guard g_variant_is_signature(type) != 0, !type.contains("h"), !type.contains("{d"),
        zip("(" + type, type).allSatisfy({ $1 != "{" || $0 == "a" })
    else { return false }
    guard type.contains("v") else { return true }
    return (0..<g_variant_n_children(variant)).allSatisfy { index in
        guard let child = g_variant_get_child_value(variant, index) else { return false }
        defer { g_variant_unref(child) }
        return isSendable(child)
    }
}

/// The accessors read what is there, and nothing else.
private func checkReading(_ value: DBusValue) {
    let inner = value.unwrapped
    if case .variant = inner { require(false, "a variant is left") }
    let read = [
        inner.boolean == nil, inner.integer == nil, inner.string == nil, inner.bytes == nil, inner.array == nil,
        inner.dictionary == nil,
    ]
    require(read.count { !$0 } <= 1, "a value is two things at once")
    require(inner.properties?.count ?? 0 <= inner.dictionary?.count ?? 0, "there are more properties than entries")
    require(inner.strings?.count ?? 0 <= inner.array?.count ?? 0, "there are more strings than members")
}
