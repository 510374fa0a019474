import TestSupport
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriDaemon

@Suite struct ReloaderTests {
    @Test(arguments: [
        (#""metrics": {"listen": "127.0.0.1:9464"},"#, true), (#""mqtt": {"host": "mqtt.lan"},"#, true),
        (#""state": {"validFor": 60},"#, false),
    ])
    func `settings that need a restart are reported`(key: String, takesRestart: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("beacons.json", Array("{\(key) \"regions\": []}".utf8))
        let book = LogBook()
        let reloader = Reloader(
            file: file, configuration: Configuration(regions: []), parts: [], supervision: nil, logger: book.logger)
        await reloader.reload()
        #expect(book.count("the configuration was read again") == 1)
        #expect(book.count("take effect at the next start") == (takesRestart ? 1 : 0))
        await reloader.reload()
        #expect(book.count("take effect at the next start") == (takesRestart ? 1 : 0), "it is logged once")
    }
}
