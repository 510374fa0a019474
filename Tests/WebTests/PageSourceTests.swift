import Foundation
import OkaeriEvents
import Testing

@testable import OkaeriServer

/// The files of the page in the program.
@Suite struct PageSourceTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Daemon/Server/Web/Page")

    @Test func `the program contains each file of the folder, byte for byte`() throws {
        var sources: [String: [UInt8]] = [
            "app.css": PageSource.app_css, "icon.png": PageSource.icon_png, "icon.svg": PageSource.icon_svg,
            "index.html": PageSource.index_html, "manifest.webmanifest": PageSource.manifest_webmanifest,
            "en.js": PageSource.en_js, "ja.js": PageSource.ja_js, "en.more.js": PageSource.en_more_js,
            "ja.more.js": PageSource.ja_more_js,
        ]
        for module in PageScript.all(in: .english).flatMap(\.modules)
        where !["texts", "served", "further"].contains(module.name) {
            sources["\(module.name).js"] = module.source
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(sources.keys))
        for name in names {
            let file = try Data(contentsOf: Self.folder.appending(path: name))
            #expect(sources[name] == Array(file), "\(name)")
        }
    }
}
