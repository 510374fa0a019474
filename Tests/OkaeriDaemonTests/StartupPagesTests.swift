import Testing

@testable import OkaeriDaemon

@Suite struct StartupPagesTests {
    @Test func `only the code of files is given back`() {
        let code = StartupPages.codeMapping(
            "5581c0a00000-5581c0a21000 r-xp 00004000 fe:00 131186                     /usr/bin/ok aeri")
        #expect(code?.start == 0x5581_c0a0_0000)
        #expect(code?.count == 0x21000)
        for other in [
            "5581c0a00000-5581c0a21000 r--p 00004000 fe:00 131186                     /usr/bin/okaeri",
            "5581c0a00000-5581c0a21000 rw-p 00004000 fe:00 131186                     /usr/bin/okaeri",
            "7f2c00000000-7f2c00021000 r-xp 00000000 00:00 0 ",
            "7ffd1b9f8000-7ffd1b9fa000 r-xp 00000000 00:00 0                          [vdso]",
            "5581c0a21000-5581c0a00000 r-xp 00004000 fe:00 131186                     /usr/bin/okaeri",
            "", "-", "x-y r-xp 0 0 0 /",
        ] {
            #expect(StartupPages.codeMapping(other) == nil)
        }
    }

    @Test func `what was given back works`() {
        StartupPages.release()
        #expect(StartupPages.codeMapping("1000-2000 r-xp 0 0 0 /x")?.count == 0x1000)
    }
}
