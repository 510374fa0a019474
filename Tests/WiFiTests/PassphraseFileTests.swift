import Foundation
import OkaeriPlumbing
import OkaeriWiFi
import Testing

struct PassphraseFileTests {
    private func problem(_ path: String, user: uid_t = geteuid()) -> PassphraseFileError.Problem? {
        do throws(PassphraseFileError) {
            _ = try PassphraseFile.load(path, user: user)
            return nil
        } catch {
            #expect(error.path == path)
            #expect(error.description.contains(path))
            return error.problem
        }
    }

    private func problem(content: String, mode: Int = 0o600) throws -> PassphraseFileError.Problem? {
        let file = try TemporaryFile(content, mode: mode)
        return problem(file.path)
    }

    private static func characters(_ count: Int) -> String { String(repeating: "x", count: count) }
    private static func digits(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test(arguments: [
        characters(8), characters(63), characters(63) + "\n", " ~ spaces ~ ", digits(64), digits(64) + "\n",
        "0123456789abcdefABCDEF" + digits(42),
    ])
    func `a passphrase or a raw key is accepted`(content: String) throws {
        #expect(try problem(content: content) == nil)
    }

    @Test(arguments: [
        ("", PassphraseFileError.Problem.file(.empty)),
        ("\n", .file(.empty)),
        (characters(7), .length(7)),
        (characters(7) + "\n", .length(7)),
        (characters(64), .notHexadecimal),
        (digits(63) + "g", .notHexadecimal),
        (digits(65), .length(65)),
        (digits(64) + "\n\n", .file(.tooLarge(limit: 65))),
        (digits(66), .file(.tooLarge(limit: 65))),
        (String(repeating: "x", count: 100_000), .file(.tooLarge(limit: 65))),
        ("two lines\n\n", .notPrintable(position: 10)),
        ("carriage\r\n", .notPrintable(position: 9)),
        ("tab\tulator", .notPrintable(position: 4)),
        ("zero\0zero", .notPrintable(position: 5)),
        ("größer als", .notPrintable(position: 3)),
    ])
    func `malformed content is refused`(content: String, problem: PassphraseFileError.Problem) throws {
        #expect(try self.problem(content: content) == problem)
    }

    @Test(arguments: [0o600, 0o400])
    func `a file without access for others is accepted`(mode: Int) throws {
        #expect(try problem(content: "correct horse", mode: mode) == nil)
    }

    @Test(arguments: [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o666])
    func `a file with access for others is refused`(mode: Int) throws {
        #expect(try problem(content: "correct horse", mode: mode) == .file(.open(mode: UInt32(mode))))
    }

    @Test(.enabled(if: geteuid() != 0, "a file of root is always accepted"))
    func `a file of another user is refused`() throws {
        let file = try TemporaryFile("correct horse")
        #expect(problem(file.path, user: geteuid() + 1) == .file(.foreignOwner(uid: geteuid())))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a file of root or the user is accepted`() throws {
        let file = try TemporaryFile("correct horse")
        #expect(problem(file.path, user: 4711) == nil)
        #expect(chown(file.path, 4711, 4711) == 0)
        #expect(problem(file.path, user: 4711) == nil)
        #expect(problem(file.path, user: 0) == .file(.foreignOwner(uid: 4711)))
    }

    @Test func `what is not a regular file is refused`() throws {
        let file = try TemporaryFile("correct horse")
        let link = file.sibling("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        #expect(problem(link) == .file(.symbolicLink))

        let fifo = file.sibling("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(problem(fifo) == .file(.notARegularFile))
        #expect(problem(URL(fileURLWithPath: file.path).deletingLastPathComponent().path) == .file(.notARegularFile))
        #expect(problem("/dev/null") == .file(.notARegularFile))
    }

    @Test func `a missing file is reported`() throws {
        #expect(problem("/nonexistent/psk") == .file(.unreadable(errno: ENOENT)))
        let file = try TemporaryFile("correct horse")
        let cut = file.path + "\0.psk"
        #expect(problem(cut) == .file(.unreadable(errno: EINVAL)))
    }

    @Test(arguments: [(0o400, true), (0o440, true), (0o460, false), (0o404, false)])
    func `a credential is read as systemd passes it`(mode: Int, isGood: Bool) throws {
        let file = try TemporaryFile("correct horse", mode: mode)
        let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
        func problem(_ name: String, _ credentials: String?) -> PassphraseFileError.Problem? {
            do throws(PassphraseFileError) {
                _ = try PassphraseFile.load("$CREDENTIALS_DIRECTORY/\(name)", credentials: credentials)
                return nil
            } catch {
                #expect(error.description.contains("LoadCredential=\(name):"))
                return error.problem
            }
        }
        guard isGood else {
            #expect(throws: PassphraseFileError(path: credential, problem: .file(.open(mode: UInt32(mode))))) {
                _ = try PassphraseFile.load(credential, credentials: folder)
            }
            return
        }
        #expect(problem("HomeNet.psk", folder) == nil)
        #expect(problem("Other.psk", folder) == .file(.unreadable(errno: ENOENT)))
        #expect(problem("HomeNet.psk", nil) == .file(.noCredentials))
    }

    private let credential = "$CREDENTIALS_DIRECTORY/HomeNet.psk"

    @Test func `the remedy for a wrong mode is named`() throws {
        let error = PassphraseFileError(path: "/etc/okaeri/Home.psk", problem: .file(.open(mode: 0o644)))
        #expect(
            error.description
                == "the passphrase file /etc/okaeri/Home.psk cannot be used: it has mode 0644, so other users can access it; "
                + "run `sudo chmod 0600 /etc/okaeri/Home.psk`")
    }
}
