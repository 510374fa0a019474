import Events
import FoundationEssentials
import Plumbing

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
    }

    static let fileName = "manifest"
    /// The version of the format that is written, and the highest that is read.
    static let format = 1
    /// The limit in bytes: the longest names of all files take a tenth of it.
    static let sizeLimit = 64 << 10

    private static let longestText = 64

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
        [version, node, time].allSatisfy { $0.utf8.count <= Self.longestText && $0.isPlainName }
            && files.first?.name == .configuration && Set(files.map(\.name)).count == files.count
            && files.allSatisfy { (0...Int64($0.name.sizeLimit)).contains($0.size) }
    }
}
