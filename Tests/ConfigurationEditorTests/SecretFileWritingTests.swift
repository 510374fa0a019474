import Glibc
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriConfiguration

@Suite struct SecretFileWritingTests {
    private let own = (user: geteuid(), group: getegid())

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test(arguments: ["/etc/\u{1B}[2J", "/etc/a\nb", "\(SecretFile.credentialPrefix)\u{7}", "/etc/\u{202E}a"])
    func `a path with a control character is not one`(path: String) {
        #expect(!SecretFile.isPath(path) && SecretFile.isPath("/etc/\u{201C}a b\u{201D}"))
    }

    @Test func `a secret is for its owner alone`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/mqtt.password"
        for secret in ["first", "second"] {
            try SecretFile.write(secret, to: path, owner: own)
            #expect(mode(path) == 0o600)
            let read = try SecretFile.withContents(
                of: path, limit: 100, failure: { (problem: SecretFileProblem) in problem }
            ) {
                (bytes) throws(SecretFileProblem) in Array(bytes)
            }
            #expect(String(decoding: read, as: UTF8.self) == secret)
        }
        #expect(try folder.names == ["mqtt.password"])
    }

    @Test func `a file that others had access to has it no more`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("mqtt.password", Array("old".utf8))
        chmod(path, 0o644)
        try SecretFile.write("new", to: path, owner: own)
        #expect(mode(path) == 0o600)
    }

    @Test func `a folder that others can write holds no secret`() throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o777)
        defer { chmod(folder.path, 0o700) }
        #expect(throws: WriteObstacle.self) {
            try SecretFile.write("new", to: "\(folder.path)/mqtt.password", owner: own)
        }
        #expect(try folder.names.isEmpty)
    }
}
