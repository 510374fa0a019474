import OkaeriPlumbing
import Testing

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("home", 4), ("Küche", 5), ("Ku\u{308}che", 5), ("家", 2), ("リビング", 8), ("ﾘﾋﾞﾝｸﾞ", 6), ("ｈｏｍｅ", 8),
        ("우리집", 6),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("客厅 2", 6), ("a\u{200B}b", 2), ("😀", 2), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("🇯🇵", 2),
        ("❤️", 2),
        ("█▋", 2), ("…", 1), ("नि", 2), ("\u{1B}", 0),
    ])
    func `the width is that of a terminal`(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func `a text is filled and cut by columns`() {
        #expect(
            "家".padding(to: 4) == "家  " && "home".padding(to: 2) == "home" && "e\u{301}".padding(to: 2) == "e\u{301} ")
        #expect(
            "リビング".cut(to: 5) == "リビ" && "リビング".cut(to: 8) == "リビング" && "abc".cut(to: 2) == "ab" && "家".cut(to: 1) == ""
        )
    }

    @Test func `the noun of one thing is in the singular`() {
        #expect(quantity(1, "other device") == "1 other device" && quantity(0, "other device") == "0 other devices")
        #expect(quantity(2 as UInt64, "battery", plural: "batteries") == "2 batteries")
    }
}
