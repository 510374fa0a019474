import FoundationEssentials
import Glibc
package import SystemPackage

extension Configuration {
    /// The configuration of the service.
    package static let serviceFile = "/etc/okaeri/beacons.json"

    /// The paths at which a configuration is searched, in this order, if none is given. The current directory may be
    /// another user's, so root does not search it: a configuration names commands to run.
    static func searchPath(isRoot: Bool) -> [String] { isRoot ? [serviceFile] : ["./beacons.json", serviceFile] }

    /// The environment variable that names one.
    static let variable = "OKAERI_CONFIG"

    /// The file to read: the one named, else `$OKAERI_CONFIG`, else the first of ``searchPath(isRoot:)`` that exists.
    ///
    /// - Parameter named: The value of `--config`.
    package static func file(
        named: String?, isRoot: Bool = geteuid() == 0
    ) throws(ConfigurationError) -> String {
        if let named { return named }
        if let named = ProcessInfo.processInfo.environment[variable], !named.isEmpty { return named }
        let searchPath = searchPath(isRoot: isRoot)
        if let found = searchPath.first(where: { FileManager.default.fileExists(atPath: $0) }) { return found }
        throw ConfigurationError(
            file: "beacons.json", place: ConfigurationError.absence,
            found: "neither --config nor $\(variable) nor \(searchPath.joined(separator: " nor "))",
            expected: "one of them; `okaeri setup` writes one")
    }

    /// Returns the file to write: the one that is named; else the service's if there is a service; else the one that is read;
    /// without one, the service's for root and `./beacons.json` for other users.
    ///
    /// - Parameters:
    ///   - named: The value of `--config`.
    ///   - isService: Whether systemd has a unit for the daemon. Then a file of the current directory is not meant.
    package static func fileToWrite(named: String?, isRoot: Bool, isService: Bool = false) -> String {
        let isRootsFile = isRoot || isService
        return (try? file(named: named, isRoot: isRootsFile)) ?? searchPath(isRoot: isRootsFile)[0]
    }

    /// Reads the configuration in `file`.
    package init(file: String) throws(ConfigurationError) {
        try self.init(json: try Self.contents(of: file), file: file)
    }

    /// Root acts upon what only root can have written, as the commands in it run with root's rights.
    package static func contents(of file: String) throws(ConfigurationError) -> [UInt8] {
        do throws(FilePlace.Problem) {
            guard let bytes = try FilePlace(file).contents(limit: sizeLimit, isTrusted: geteuid() == 0) else {
                throw .failed(.noSuchFileOrDirectory)
            }
            return bytes
        } catch {
            throw ConfigurationError(file: file, error)
        }
    }

    /// Ten thousand regions fit; a disk image named by mistake does not.
    package static let sizeLimit = 16 << 20
}

extension FileDescriptor {
    /// A small file, whole. A pipe or a device is refused with `EINVAL`, and does not block.
    ///
    /// - Parameter limit: more bytes than this are refused with `EFBIG`.
    package static func contents(of path: String, limit: Int) throws(Errno) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
                guard try file.stat().type == .regular else { throw Errno.invalidArgument }
                return try file.contents(limit: limit)
            }
        } catch let error as Errno {
            throw error
        } catch {
            throw .ioError
        }
    }

    /// Returns the rest of the file; at most `limit` bytes, otherwise `EFBIG`.
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

extension Configuration {
    /// A configuration to start from, as `okaeri config example` prints it.
    package static let example = """
        {
          "regions": [
            {
              "identifier": "home",
              "uuid": "5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34",
              "major": 100,
              "minor": 100,
              "ranging": true,
              "wifi": { "ssid": "HomeNet", "join": "prompt" }
            }
          ]
        }

        """
}

/// A part of the daemon that goes by the configuration.
package protocol Configured: Sendable {
    /// The configuration is another one from now on.
    func configured(_ configuration: Configuration) async
}
