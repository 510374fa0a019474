import Glibc
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

struct SecretFileTests {
    private let folder: TemporaryFolder
    /// A user that is not root: that of this process, if possible.
    private let owner = geteuid() == 0 ? 4321 : geteuid()

    init() throws { folder = try TemporaryFolder() }

    private func problem(reader: UInt32, service: UInt32?) throws -> SecretFileProblem? {
        let path = try folder.file("anna.irk", Array("secret\n".utf8))
        chmod(path, 0o600)
        if geteuid() == 0 { #expect(chown(path, owner, owner) == 0) }
        do throws(SecretFileProblem) {
            try unsafe SecretFile.withContents(
                of: path, limit: 100, user: reader, service: service, failure: { $0 }
            ) { (bytes) throws(SecretFileProblem) in
                #expect(unsafe bytes.elementsEqual("secret".utf8))
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func `root reads a file of the service's user`() throws {
        #expect(try problem(reader: 0, service: owner) == nil)
        #expect(try problem(reader: 0, service: owner + 1) == .foreignOwner(uid: owner))
        #expect(try problem(reader: 0, service: nil) == .foreignOwner(uid: owner))
    }

    @Test func `another user reads only a file of its own`() throws {
        #expect(try problem(reader: owner, service: nil) == nil)
        #expect(try problem(reader: owner + 1, service: owner) == .foreignOwner(uid: owner))
    }
}
