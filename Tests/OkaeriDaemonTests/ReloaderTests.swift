import Glibc
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents

@Suite struct ReloaderTests {
    private let folder: TemporaryFolder
    private let book = LogBook()

    init() throws { folder = try TemporaryFolder() }

    private func write(_ key: String) throws -> String {
        // At once: a reading of half a file would be a failure.
        let new = try folder.file("new.json", Array("{\(key) \"regions\": []}".utf8))
        #expect(rename(new, "\(folder.path)/beacons.json") == 0)
        return "\(folder.path)/beacons.json"
    }

    private func reloader(_ file: String, parts: [any Configured] = []) throws -> Reloader {
        Reloader(
            file: file, configuration: try Configuration(file: file), parts: parts, supervision: nil,
            logger: book.logger)
    }

    @Test(arguments: [
        (#""history": {"keep": 0},"#, ["history.keep"]), (#""history": {"keep": 30},"#, []),
        (#""metrics": {"listen": "127.0.0.1:9464"},"#, []), (#""mqtt": {"host": "mqtt.lan"},"#, []),
        (#""adapter": "hci1", "scan": {"interval": 200}, "state": {"validFor": 60},"#, []),
    ])
    func `settings that need a restart are reported, and all others are in force`(
        key: String, pending: [String]
    ) async throws {
        let reloader = try reloader(try write(""))
        #expect(reloader.report.restart == nil && reloader.report.problem == nil)
        _ = try write(key)
        await reloader.reload()
        #expect(book.count("the configuration was read again") == 1)
        #expect((reloader.report.restart ?? []).map(\.key) == pending)
        #expect(book.count("takes effect at the next start") == pending.count)
        await reloader.reload()
        #expect(book.count("takes effect at the next start") == pending.count, "it is logged once")
        _ = try write("")
        await reloader.reload()
        #expect(reloader.report.restart == nil, "what is as it was needs no restart")
    }

    private final class Part: Configured {
        private let received = Mutex<[String?]>([])
        var names: [String?] { received.withLock { $0 } }
        func configured(_ configuration: Configuration) { received.withLock { $0.append(configuration.node.name) } }
    }

    /// A part that takes long for each configuration.
    private final class SlowPart: Configured {
        let state = Watched((running: 0, most: 0, names: [String?]()))

        func configured(_ configuration: Configuration) async {
            state.change { ($0.running, $0.most) = ($0.running + 1, max($0.most, $0.running + 1)) }
            // The other attempts run meanwhile, if they may.
            await Task {}.value
            state.change { ($0.running, $0.names) = ($0.running - 1, $0.names + [configuration.node.name]) }
        }
    }

    @Test func `attempts follow one another, and the last one has the latest text`() async throws {
        let part = SlowPart()
        let reloader = try reloader(try write(""), parts: [part])
        await withDiscardingTaskGroup { group in
            for number in 0..<8 {
                _ = try? write(#""node": {"name": "node-\#(number)"},"#)
                group.addTask { await reloader.reload() }
            }
        }
        #expect(part.state.value.most == 1 && part.state.value.names.count == 8)
        #expect(part.state.value.names.last == "node-7" && reloader.configuration.node.name == "node-7")
    }

    @Test func `a file that cannot be used leaves the configuration in force, and its mistakes in the report`()
        async throws
    {
        let part = Part()
        let file = try write(#""node": {"name": "hall"},"#)
        let reloader = try reloader(file, parts: [part])
        let before = reloader.report
        _ = try write(#""nodee": {},"#)
        await reloader.reload()
        #expect(part.names.isEmpty)
        #expect(reloader.configuration.node.name == "hall")
        #expect(reloader.report.problem?.contains("nodee") == true && reloader.report.time == before.time)
        _ = try write(#""node": {"name": "attic"},"#)
        await reloader.reload()
        #expect(part.names == ["attic"])
        #expect(reloader.report.problem == nil && reloader.report.file == file)
    }
}
