import OkaeriChecksum
package import OkaeriEvents
import OkaeriPlumbing
import Synchronization

/// A file of the page, as it is served. The files are parts of the program, or are made of such parts.
package struct PageFile: Sendable {
    /// A file in the form in which it is sent.
    package struct Copy: Sendable {
        package let content: [UInt8]
        /// Whether the content is packed with gzip.
        package let isPacked: Bool
        /// Another one for another content; a weak one, because the packed content has the same (RFC 9110, 8.8.1).
        package let tag: String
    }

    private let path: String
    /// The media type (RFC 9110, 8.3).
    package let type: String
    /// The language, if the browser's languages choose it.
    package let language: Language?
    private let content: @Sendable () -> [UInt8]

    private init(
        _ path: String, _ type: String, in language: Language? = nil,
        _ content: @escaping @autoclosure @Sendable () -> [UInt8]
    ) {
        (self.path, self.type, self.language, self.content) = (path, type, language, content)
    }

    /// Returns the file at a path, or `nil` if the path is unknown.
    ///
    /// - Parameter language: The language of the browser.
    package static func at(_ path: String, in language: Language = .english) -> PageFile? {
        if path == "/" { return index[language] }
        return all[path]
    }

    /// The paths of all files, in order.
    package static var paths: [String] { (["/"] + all.keys).sorted() }

    private static let index = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { language in
            (language, PageFile("/", "text/html; charset=utf-8", in: language, page(in: language)))
        })

    private static let all = Dictionary(
        uniqueKeysWithValues: (parts + Language.allCases.flatMap { PageScript.all(in: $0).map(file) }).map {
            ($0.path, $0)
        })

    private static let parts = [
        PageFile("/app.css", "text/css; charset=utf-8", PageSource.app_css),
        PageFile("/icon.svg", "image/svg+xml", PageSource.icon_svg),
        PageFile("/icon.png", "image/png", PageSource.icon_png),
        PageFile("/manifest.webmanifest", "application/manifest+json", PageSource.manifest_webmanifest),
    ]

    private static func file(of script: PageScript) -> PageFile {
        PageFile("/\(script.name)", "text/javascript; charset=utf-8", script.content)
    }

    /// Returns the page itself, which names its language and the script of it.
    private static func page(in language: Language) -> [UInt8] {
        let english = Language.english.code
        let text = String(decoding: PageSource.index_html, as: UTF8.self)
            .replacing("lang=\"\(english)\"", with: "lang=\"\(language.code)\"")
            .replacing("\"app.\(english).js", with: "\"app.\(language.code).js")
        return Array(text.utf8)
    }

    // MARK: - Copies

    private struct Form: Hashable {
        let path: String
        let language: Language?
        let isPacked: Bool
    }

    /// The copies that were sent so far: at most two of each file and language.
    private static let copies = Mutex<[Form: Copy]>([:])

    /// Returns the file as it is sent, which is made once.
    ///
    /// - Parameter packed: Whether the client accepts gzip.
    package func copy(packed: Bool) -> Copy {
        let form = Form(path: path, language: language, isPacked: packed)
        if let copy = Self.copies.withLock({ $0[form] }) { return copy }
        let content = content()
        let tag = "W/\"\(String(content.fnv1a, radix: 16))\""
        let smaller = packed && Compression.packs(type, content.count) ? try? Gzip.pack(content) : nil
        let copy = Copy(content: smaller ?? content, isPacked: smaller != nil, tag: tag)
        Self.copies.withLock { $0[form] = copy }
        return copy
    }
}
