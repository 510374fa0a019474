import OkaeriEvents
import OkaeriPlumbing

/// A file of the page, as it is served: they are part of the program.
package struct PageFile: Sendable {
    /// The media type (RFC 9110, 8.3).
    package let type: String
    package let content: [UInt8]

    /// Another one for another content; a weak one, because the packed content has the same (RFC 9110, 8.8.1).
    package var tag: String { "W/\"\(String(content.fnv1a, radix: 16))\"" }

    /// By path; nil: there is none.
    package static func at(_ path: String) -> PageFile? { all[path] }

    /// The paths of all, in order.
    package static var paths: [String] { all.keys.sorted() }

    private static let all: [String: PageFile] = [
        "/": PageFile("text/html; charset=utf-8", PackageResources.index_html),
        "/app.css": PageFile("text/css; charset=utf-8", PackageResources.app_css),
        "/more.css": PageFile("text/css; charset=utf-8", PackageResources.more_css),
        "/icon.svg": PageFile("image/svg+xml", PackageResources.icon_svg),
        "/icon.png": PageFile("image/png", PackageResources.icon_png),
        "/manifest.webmanifest": PageFile("application/manifest+json", PackageResources.manifest_webmanifest),
    ].merging(scripts.map { ("/\($0).js", PageFile("text/javascript; charset=utf-8", $1)) }) { first, _ in first }

    private static let scripts: [(String, [UInt8])] = [
        ("backup", PackageResources.backup_js), ("devices", PackageResources.devices_js),
        ("qr", PackageResources.qr_js), ("guests", PackageResources.guests_js), ("radios", PackageResources.radios_js),
        ("remove", PackageResources.remove_js),
        ("room", PackageResources.room_js),
        ("sensitivity", PackageResources.sensitivity_js),
        ("app", PackageResources.app_js), ("base", PackageResources.base_js),
        ("calibration", PackageResources.calibration_js), ("chart", PackageResources.chart_js),
        ("days", PackageResources.days_js), ("editor", PackageResources.editor_js),
        ("enroll", PackageResources.enroll_js), ("en", PackageResources.en_js),
        ("en.more", PackageResources.en_more_js + Language.english.furtherScript),
        ("explain", PackageResources.explain_js),
        ("findings", PackageResources.findings_js),
        ("happened", PackageResources.happened_js),
        ("ja", PackageResources.ja_js),
        ("ja.more", PackageResources.ja_more_js + Language.japanese.furtherScript), ("live", PackageResources.live_js),
        ("livechart", PackageResources.livechart_js), ("login", PackageResources.login_js),
        ("network", PackageResources.network_js),
        ("now", PackageResources.now_js), ("outage", PackageResources.outage_js),
        ("outcome", PackageResources.outcome_js),
        ("picture", PackageResources.picture_js), ("setup", PackageResources.setup_js),
        ("thresholds", PackageResources.thresholds_js), ("wifi.en", Language.english.pageScript),
        ("wifi.ja", Language.japanese.pageScript), ("words", PackageResources.words_js),
        ("zone", PackageResources.zone_js),
    ]

    private init(_ type: String, _ content: [UInt8]) {
        self.type = type
        self.content = content
    }
}
