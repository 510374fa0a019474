import Foundation
import OkaeriTestSupport
import SystemPackage
import Testing

@testable import OkaeriConfiguration

@Suite struct PrivateFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func leftover(_ name: String, mode: Int = 0o700, isMarked: Bool = true) throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(name)/deep", withIntermediateDirectories: true)
        for file in ["history.sqlite", "deep/x"] + (isMarked ? [".okaeri-temporary"] : []) {
            _ = try folder.file("\(name)/\(file)", [])
        }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(folder.path)/\(name)")
    }

    @Test func `the folder of a killed process is removed, and no other one`() throws {
        try leftover("okaeri.aaaaaa")
        try leftover("okaeri.opened", mode: 0o755)
        try leftover("another.aaaaaa")
        // A person may name a folder alike.
        try leftover("okaeri.2026-11", isMarked: false)
        symlink("another.aaaaaa", "\(folder.path)/okaeri.link")
        let used = try PrivateFolder(prefix: "okaeri", in: folder.path)
        let next = try PrivateFolder(prefix: "okaeri", in: folder.path)
        let names = Set(try folder.names)
        #expect(!names.contains("okaeri.aaaaaa"))
        #expect(
            names.isSuperset(of: ["okaeri.opened", "another.aaaaaa", "okaeri.link", "okaeri.2026-11"])
                && names.count == 6, "\(names)")
        used.remove()
        next.remove()
        #expect(try folder.names == ["another.aaaaaa", "okaeri.2026-11", "okaeri.link", "okaeri.opened"])
        #expect(folder.text("another.aaaaaa/deep/x") == "")
    }

    @Test func `a copy of the state is beside the state, or in the first folder that takes it`() throws {
        try #require(PrivateFolder.named == nil)
        let parents = try PrivateFolder.parents(forStateIn: folder.path)
        #expect(parents.first == folder.path)
        let copy = try PrivateFolder.made(prefix: "okaeri", inOneOf: parents)
        #expect(copy.path.hasPrefix("\(folder.path)/okaeri."))
        copy.remove()
        let other = try PrivateFolder.made(prefix: "okaeri", inOneOf: ["/proc/self", folder.path])
        #expect(other.path.hasPrefix("\(folder.path)/okaeri."))
        other.remove()
        #expect(throws: FilePlace.Problem.failed(.noSuchFileOrDirectory)) {
            _ = try PrivateFolder.made(prefix: "okaeri", inOneOf: ["\(folder.path)/none", "/proc/self"])
        }
    }

    @Test func `a folder is for its user alone, and removed with its files, wherever its path leads`() throws {
        let own = try PrivateFolder(prefix: "okaeri", in: folder.path)
        let mode = try FileManager.default.attributesOfItem(atPath: own.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        let name = try #require(own.path.split(separator: "/").last.map(String.init))
        _ = try folder.file("\(name)/x", [])
        try leftover("victim")
        rename(own.path, "\(folder.path)/moved")
        symlink("victim", own.path)
        own.remove()
        #expect(folder.text("victim/history.sqlite") == "" && folder.text("moved/x") == nil)
    }
}
