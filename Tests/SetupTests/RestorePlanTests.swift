import Foundation
import OkaeriChecksum
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import SystemPackage
import Testing

@testable import OkaeriSetup

/// Backups that other versions, or no version, have written.
@Suite struct RestorePlanTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var configuration: [UInt8] { configuration(tls: "", more: "") }

    func configuration(tls: String, more: String) -> [UInt8] {
        Array(
            (#"{"mqtt": {"host": "localhost", "username": "u", "passwordFile": "\#(folder.path)/password"\#(tls)}\#(more), "regions": ["#
                + #"{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "#
                + #""wifi": {"ssid": "Home", "passphraseFile": "\#(folder.path)/passphrase"}}]}"#).utf8)
    }

    private func entry(_ name: BackupFileName, _ content: [UInt8], path: String? = nil) -> BackupManifest.Entry {
        .init(name: name, size: Int64(content.count), checksum: CRC32(of: content[...]).description, path: path)
    }

    func plan(
        _ secrets: [(number: Int, path: String?, content: [UInt8])], of configuration: [UInt8]? = nil,
        in subfolder: String = ".", state: [(name: BackupFileName, content: [UInt8])] = []
    ) throws -> RestorePlan {
        let configuration = configuration ?? self.configuration
        let manifest = BackupManifest(
            version: "0.1.0", node: "attic", time: "2026-11-25T15:00:00Z",
            files: [entry(.configuration, configuration)]
                + secrets.map { entry(.secret($0.number), $0.content, path: $0.path) }
                + state.map { entry($0.name, $0.content) })
        let path = "\(folder.path)/b.tar"
        let output = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? output.close() }
        var archive = ArchiveWriter(output: output, modified: 0)
        try archive.add(BackupManifest.fileName, manifest.text)
        try archive.add("beacons.json", configuration)
        for secret in secrets { try archive.add("secret-\(secret.number + 1)", secret.content) }
        for file in state { try archive.add(file.name.rawValue, file.content) }
        _ = try archive.end()
        return try RestorePlan(
            of: path, configurationFile: "\(folder.path)/\(subfolder)/beacons.json", directory: "\(folder.path)/state",
            format: StateFormat(problem: { _ in nil }, logins: { _ in [] }, replacingLogins: { text, _ in text }))
    }

    @Test func `a secret belongs to the path in the manifest, whatever its number`() throws {
        let (first, second) = (Array("broker\n".utf8), Array("network\n".utf8))
        let plan = try plan([(4, "\(folder.path)/password", first), (1, "\(folder.path)/passphrase", second)])
        try plan.stage().exchange()
        #expect(folder.text("password") == "broker\n" && folder.text("passphrase") == "network\n")
    }

    @Test(arguments: [nil, "", "password", "/etc/shadow", "/\u{1B}[2J", "/" + String(repeating: "a", count: 4095)])
    func `a path that the configuration does not name is refused`(path: String?) throws {
        let failure = #expect(throws: BackupFailure.self) { try plan([(0, path, [])]) }
        #expect(failure?.kind == .data && failure?.description.contains("no backup of okaeri") == true)
    }

    @Test(arguments: [
        ".ssh/authorized_keys", ".bashrc", ".config/autostart/x.pem", "cron.d/x", ".ca.pem", "sub/ca.pem",
    ])
    func `a file that logs a user in or runs a command is not restored`(name: String) throws {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        _ = try folder.file(name, Array("former".utf8))
        let plan = try plan(
            [(0, path, Array("attack".utf8))], of: configuration(tls: #", "tls": {"ca": "\#(path)"}"#, more: ""))
        let obstacle: RestorePlan.Change.Obstacle = name.contains("/") ? .folder : .name
        #expect(plan.changes.contains(.init(path: path, action: .leftOut, obstacle: obstacle)))
        try plan.stage().exchange()
        #expect(folder.text(name) == "former" && folder.text("beacons.json") != nil)
    }

    @Test(arguments: [
        ("ca.pem", true), ("ca.crt", true), ("beacons.json.bak", false), ("beacons.json.new", false), ("ca.psk", false),
        ("passwd", false), ("ld.so.preload", false), ("crontab", false), ("ca", false),
    ])
    func `a certificate is restored under a name for its purpose alone`(name: String, isRestored: Bool) throws {
        let path = "\(folder.path)/\(name)"
        let former = try folder.file("beacons.json", Array(#"{"regions": []}"#.utf8))
        let plan = try plan(
            [(0, path, Array("content".utf8))], of: configuration(tls: #", "tls": {"ca": "\#(path)"}"#, more: ""))
        try plan.stage().exchange()
        #expect((folder.text(name) == "content") == isRestored)
        #expect(folder.text("beacons.json.bak") == #"{"regions": []}"#, "the former \(former) is in .bak")
    }

    @Test(arguments: ["../victim.pem", "../none/victim.pem", "../none/a/b/victim.pem", "beacons.json.bak"])
    func `a link out of the folder of the configuration is left out`(target: String) throws {
        let outside = try folder.file("victim.pem", Array("former".utf8))
        let path = "\(folder.path)/etc/link.pem"
        try FileManager.default.createDirectory(atPath: "\(folder.path)/etc", withIntermediateDirectories: true)
        #expect(symlink(target, path) == 0)
        let plan = try plan(
            [(0, path, Array("attack".utf8))], of: configuration(tls: #", "tls": {"ca": "\#(path)"}"#, more: ""),
            in: "etc")
        #expect(plan.changes.contains(.init(path: path, action: .leftOut, obstacle: .link)))
        try plan.stage().exchange()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
        #expect(folder.text("victim.pem") == "former", "\(outside) stays")
        #expect(folder.text("etc/beacons.json") != nil && folder.text("etc/beacons.json.bak") == nil)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/none"))
    }

    @Test(arguments: [("etc", "alias"), ("alias", "etc")])
    func `a secret is restored through a link to the folder of the configuration`(secret: String, given: String) throws
    {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/etc", withIntermediateDirectories: true)
        #expect(symlink("etc", "\(folder.path)/alias") == 0)
        let path = "\(folder.path)/\(secret)/ca.pem"
        let plan = try plan(
            [(0, path, Array("content".utf8))], of: configuration(tls: #", "tls": {"ca": "\#(path)"}"#, more: ""),
            in: given)
        try plan.stage().exchange()
        #expect(folder.text("etc/ca.pem") == "content" && folder.text("etc/beacons.json") != nil, "\(plan.changes)")
    }

    @Test func `a link into the folder of the configuration from another folder is left out`() throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/etc", withIntermediateDirectories: true)
        _ = try folder.file("etc/ca.pem", Array("former".utf8))
        let path = "\(folder.path)/other.pem"
        #expect(symlink("etc/ca.pem", path) == 0)
        let plan = try plan(
            [(0, path, Array("attack".utf8))], of: configuration(tls: #", "tls": {"ca": "\#(path)"}"#, more: ""),
            in: "etc")
        #expect(plan.changes.contains(.init(path: path, action: .leftOut, obstacle: .folder)))
    }

    @Test func `a link that is made after the plan is not followed`() throws {
        _ = try folder.file("victim.pem", Array("former".utf8))
        let path = "\(folder.path)/etc/link.pem"
        let plan = try plan(
            [(0, path, Array("attack".utf8))], of: configuration(tls: #", "tls": {"ca": "\#(path)"}"#, more: ""),
            in: "etc")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/etc", withIntermediateDirectories: true)
        #expect(symlink("../victim.pem", path) == 0)
        let failure = #expect(throws: BackupFailure.self) { _ = try plan.stage() }
        #expect(failure?.kind == .io && folder.text("victim.pem") == "former")
    }

    @Test func `a sparse backup with a long history is read in a few seconds`() throws {
        let size: Int64 = 200 << 20
        var checksum = CRC32()
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<200 { checksum.append(zeros[...]) }
        let manifest = BackupManifest(
            version: "0.1.0", node: "attic", time: "2026-11-25T15:00:00Z",
            files: [
                entry(.configuration, configuration),
                .init(name: .state(.history), size: size, checksum: checksum.description),
            ])
        let path = "\(folder.path)/b.tar"
        let output = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? output.close() }
        var archive = ArchiveWriter(output: output, modified: 0)
        try archive.add(BackupManifest.fileName, manifest.text)
        try archive.add("beacons.json", configuration)
        let header = try #require(TarHeader(name: "history.sqlite", size: size, modified: 0))
        try output.writeAll(header.block)
        let end = try output.seek(offset: size + Int64(TarHeader.end.count), from: .current)
        #expect(ftruncate(output.rawValue, Int(end)) == 0)
        var hasHistory = false
        let time = try ContinuousClock().measure { hasHistory = try BackupArchive(path).hasHistory }
        #expect(hasHistory && time < .seconds(8), "\(time)")
    }

    @Test func `two secrets of one path are refused`() throws {
        let path = "\(folder.path)/password"
        let failure = #expect(throws: BackupFailure.self) { try plan([(0, path, []), (1, path, [])]) }
        #expect(failure?.kind == .data)
    }

    @Test func `a file that is too large for a restore is not written`() throws {
        func manifest(_ size: Int64) -> BackupManifest {
            BackupManifest(
                version: "0.1.0", node: "attic", time: "2026-11-25T15:00:00Z",
                files: [
                    entry(.configuration, []), .init(name: .state(.history), size: size, checksum: "00000000"),
                ])
        }
        let limit = Int64(StateDirectory.File.history.sizeLimit)
        #expect(throws: Never.self) { try manifest(limit).refuseUnreadable() }
        #expect(throws: BackupFailure.self) { try manifest(limit + 1).refuseUnreadable() }
    }

    @Test func `a content of another size than its header is a failure`() throws {
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        defer { try? output.close() }
        var archive = ArchiveWriter(output: output, modified: 0)
        #expect(throws: BackupFailure.self) {
            try archive.add("history.sqlite", size: 3) { write throws(BackupFailure) in try write([1, 2]) }
        }
    }
}
