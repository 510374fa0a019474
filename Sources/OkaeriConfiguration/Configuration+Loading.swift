import FoundationEssentials
package import SystemPackage

extension Configuration {
    /// Where a configuration is looked for, in this order, when none is named.
    static let searchPath = ["./beacons.json", "/etc/okaeri/beacons.json"]

    /// The environment variable that names one.
    static let variable = "OKAERI_CONFIG"

    /// The file to read: the one named, else `$OKAERI_CONFIG`, else the first of ``searchPath`` that exists.
    ///
    /// - Parameter named: what `--config` says.
    package static func file(named: String?) throws(ConfigurationError) -> String {
        if let named { return named }
        if let named = ProcessInfo.processInfo.environment[variable], !named.isEmpty { return named }
        if let found = searchPath.first(where: { FileManager.default.fileExists(atPath: $0) }) { return found }
        throw ConfigurationError(
            file: "beacons.json", place: ConfigurationError.absence,
            found: "neither --config nor $\(variable) nor \(searchPath.joined(separator: " nor "))",
            expected: "one of them; `okaeri setup` writes one")
    }

    /// The file to write: the one that is read; where there is none yet, the service's for root and `./beacons.json` for
    /// anybody else.
    ///
    /// - Parameter named: what `--config` says.
    package static func fileToWrite(named: String?, isRoot: Bool) -> String {
        (try? file(named: named)) ?? searchPath[isRoot ? 1 : 0]
    }

    /// Reads the configuration in `file`.
    package init(file: String) throws(ConfigurationError) {
        let bytes: [UInt8]
        do {
            bytes = try FileDescriptor.contents(of: file, limit: Self.sizeLimit)
        } catch {
            throw ConfigurationError(
                file: file, place: "the file", found: error.description, expected: "a file that can be read")
        }
        try self.init(json: bytes, file: file)
    }

    /// Ten thousand regions fit; a disk image named by mistake does not.
    package static let sizeLimit = 16 << 20
}

extension FileDescriptor {
    /// A small file, whole.
    ///
    /// - Parameter limit: more bytes than this are refused with `EFBIG`.
    package static func contents(of path: String, limit: Int) throws(Errno) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            return try file.closeAfter { try file.contents(limit: limit) }
        } catch let error as Errno {
            throw error
        } catch {
            throw .ioError
        }
    }

    /// What follows, to the end; at most `limit` bytes, else `EFBIG`.
    package func contents(limit: Int) throws -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { return contents }
            contents += chunk[..<count]
            if contents.count > limit { throw Errno.fileTooLarge }
        }
    }
}
