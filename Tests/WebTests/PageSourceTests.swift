import Foundation
import OkaeriEvents
import OkaeriWiFi
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

    /// Home Assistant serves the page below `/api/hassio_ingress/TOKEN/`.
    @Test func `the page names no address from the root of its host`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        for name in names where name != "icon.png" {
            let text = String(decoding: try Data(contentsOf: Self.folder.appending(path: name)), as: UTF8.self)
            // In a string, an attribute, or a style sheet.
            for rooted in ["'/v1", "`/v1", "\"/v1", "=\"/", ": \"/", "url(/", "import('/", "import(`/"] {
                #expect(!text.contains(rooted), "\(name): \(rooted)")
            }
        }
        let prompt = Prompt(id: "1", ssid: "HomeNet", regions: ["home"], arrival: 1)
        for content: AnswerPage.Content in [.question(prompt, node: "pi", .join), .answered(.join), .ended] {
            let html = AnswerPage(content: content, language: .english).html
            #expect(html.contains("href=\"../app.css\"") && !html.contains("=\"/"))
        }
    }
}
