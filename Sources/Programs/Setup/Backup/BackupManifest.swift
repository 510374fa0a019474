import FoundationEssentials
import OkaeriChecksum
import OkaeriEvents
import OkaeriPlumbing

/// The first file of a backup: its origin, and the files that follow, in their order.
///
/// The file has a line of JSON, and a line with the digits of its `CRC32`.
struct BackupManifest: Codable, Equatable {
    /// A file of the backup.
    struct Entry: Codable, Equatable {
        var name: BackupFileName
        var size: Int64
        /// The digits of the content's `CRC32`.
        var checksum: String
        /// The path of a file that the configuration names, on the machine of the backup; `nil` for the others.
        var path: String?

        fileprivate var isWithinLimit: Bool { (0...Int64(name.sizeLimit)).contains(size) }

        fileprivate var hasSoundPath: Bool {
            guard name.isSecret else { return path == nil }
            return path.map(BackupManifest.isPath) ?? false
        }
    }

    static let fileName = "manifest"
    /// The version of the format that is written, and the highest that is read.
    static let format = 1
    /// The limit in bytes: the longest paths of all files take a half of it.
    static let sizeLimit = 1 << 20

    private static let longestText = 64
    /// The length of the longest path in bytes (`PATH_MAX` in limits.h, less its null).
    private static let longestPath = 4095

    var format = Self.format
    /// The version of the program that wrote the backup.
    var version: String
    /// The name of the node.
    var node: String
    /// By RFC 3339.
    var time: String
    var files: [Entry]

    private struct Format: Decodable {
        var format: Int
    }

    /// Reads the text of the file.
    ///
    /// - Throws: a `BackupFailure` without the backup's name.
    init(text: [UInt8]) throws(BackupFailure) {
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        let data = Data(line)
        guard let format = (try? JSONDecoder().decode(Format.self, from: data))?.format else { throw Self.foreign }
        guard format <= Self.format else {
            throw BackupFailure(
                .data, "a newer okaeri wrote it, in format \(format), and this one reads \(Self.format); upgrade okaeri"
            )
        }
        guard format == Self.format, text == Self.text(ofLine: Array(line)),
            let manifest = try? JSONDecoder().decode(BackupManifest.self, from: data), manifest.isSound
        else { throw Self.foreign }
        self = manifest
    }

    var text: [UInt8] { Self.text(ofLine: Array(JSON.line(self).utf8)) }

    private static func text(ofLine line: [UInt8]) -> [UInt8] {
        line + Array("\n\(CRC32(of: line[...]))\n".utf8)
    }

    init(version: String, node: String, time: String, files: [Entry]) {
        (self.version, self.node, self.time, self.files) = (version, node, time, files)
    }

    static let foreign = BackupFailure(.data, "it is damaged, or no backup of okaeri; use another one")

    private var isSound: Bool {
        let paths = files.compactMap(\.path)
        return [version, node, time].allSatisfy { $0.utf8.count <= Self.longestText && $0.isPlainName }
            && files.filter(\.name.isKey).count <= BackupFileName.mostKeys && files.first?.name == .configuration
            && Set(files.map(\.name)).count == files.count
            && files.allSatisfy { $0.isWithinLimit && $0.hasSoundPath } && Set(paths).count == paths.count
    }

    /// Whether a manifest can contain the path: an absolute one without control characters.
    static func isPath(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= longestPath && path.isPlainName
    }

    /// Throws unless ``init(text:)`` accepts the manifest: a backup that cannot be restored is not written.
    func refuseUnreadable() throws(BackupFailure) {
        if let file = files.first(where: { !$0.isWithinLimit }) { throw .tooLarge(file.name.rawValue) }
        guard isSound, text.count <= Self.sizeLimit else {
            throw BackupFailure(
                .io, "the version, the name of the node or a path does not fit in a backup; choose shorter ones")
        }
    }
}
