import COkaeriGIO
import Testing

@testable import OkaeriDBus

@Suite struct DBusValueTests {
    static let values: [DBusValue] = [
        .boolean(true), .byte(255), .int16(-2), .uint16(65_535), .int32(-3), .uint32(.max), .int64(.min), .uint64(.max),
        .double(1.5), .string("お帰り"), .objectPath("/org/bluez/hci0"), .signature("a{sv}"), .bytes([0, 1, 255]),
        .bytes([]),
        .strings(["a", "b"]), .array(element: "(ii)", []), .structure([.byte(1), .structure([.string("x")])]),
        .variant(.variant(.byte(3))), .properties(["Powered": .boolean(true), "UUIDs": .strings([])]),
        .dictionary(key: "o", value: "a{sv}", [.objectPath("/a"): .properties(["Name": .string("x")])]),
        .dictionary(key: "q", value: "v", [.uint16(0x4C): .variant(.bytes([2, 21]))]),
        .array(element: "a{sv}", [.properties([:])]),
    ]

    @Test(arguments: values)
    func `a value is the same after GLib has had it`(value: DBusValue) throws {
        let variant = try #require(value.variant)
        g_variant_ref_sink(variant)
        defer { g_variant_unref(variant) }
        #expect(String(cString: g_variant_get_type_string(variant)) == value.type)
        #expect(DBusValue(variant) == value)
    }

    /// Keys of each kind that there may be many of, in their order.
    static let keys: [[DBusValue]] = [
        (10..<40).map { (number: Int) in .objectPath("/a\(number)") }, (8..<40).map { (key: UInt16) in .uint16(key) },
        (UInt64.max - 30...UInt64.max).map { (key: UInt64) in .uint64(key) }, [.boolean(false), .boolean(true)],
        (-9..<9).map { (key: Int) in .double(Double(key)) },
        (1..<10).map { (count: Int) in .signature(String(repeating: "s", count: count)) },
    ]

    @Test(arguments: keys)
    func `entries of a dictionary are sent in the order of their keys`(keys: [DBusValue]) throws {
        let type = try #require(keys.first).type
        let entries = Dictionary(uniqueKeysWithValues: keys.map { ($0, DBusValue.byte(0)) })
        let variant = try #require(DBusValue.dictionary(key: type, value: "y", entries).variant)
        g_variant_ref_sink(variant)
        defer { g_variant_unref(variant) }
        var sent: [DBusValue] = []
        for index in 0..<g_variant_n_children(variant) {
            let entry = try #require(g_variant_get_child_value(variant, index))
            defer { g_variant_unref(entry) }
            let key = try #require(g_variant_get_child_value(entry, 0))
            defer { g_variant_unref(key) }
            sent.append(try #require(DBusValue(key)))
        }
        #expect(sent == keys)
    }

    @Test(arguments: [
        DBusValue.objectPath("no path"), .signature("!"), .array(element: "s", [.byte(1)]), .array(element: "?", []),
        .dictionary(key: "s", value: "v", [.string("a"): .byte(1)]), .structure([.objectPath("")]),
        .dictionary(key: "v", value: "s", [:]),
    ])
    func `what D-Bus forbids is not a value of GLib's`(value: DBusValue) {
        #expect(value.variant == nil)
    }

    @Test func `accessors read what is there, through variants, and nothing else`() {
        #expect(DBusValue.variant(.uint16(7)).integer == 7)
        #expect(DBusValue.uint64(.max).integer == nil)
        #expect(DBusValue.string("7").integer == nil)
        #expect(DBusValue.objectPath("/a").string == "/a")
        #expect(DBusValue.variant(.boolean(true)).boolean == true)
        #expect(DBusValue.strings(["a"]).strings == ["a"])
        #expect(DBusValue.variant(.bytes([1])).bytes == [1])
        let properties = DBusValue.properties(["RSSI": .int16(-60)])
        #expect(properties.properties == ["RSSI": .int16(-60)])
        #expect(DBusValue.dictionary(key: "q", value: "v", [:]).properties == nil)
    }
}
