import FoundationEssentials
import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHistory
import OkaeriPlumbing
import OkaeriServer
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriDaemon

/// The page's requests: days, events, signals, networks and the configuration, of files as they are on a disk.
@Suite struct PageDataTests {
    let folder: TemporaryFolder
    let reloads = Reloads()

    final class Reloads: Sendable {
        let count = Mutex(0)
    }

    /// A minute after what is written in the tests.
    static let now = Timestamp.nanoseconds("2026-11-21T07:10:30Z") ?? 0

    init() throws { folder = try TemporaryFolder() }

    var file: String { "\(folder.path)/beacons.json" }

    func page(directory: String? = "") -> PageData {
        PageData(
            directory: directory.map { $0.isEmpty ? folder.path : $0 }, file: file,
            wifi: SimulatedWiFi(inSight: ["HomeNet"]), now: { Self.now },
            reload: { [reloads] in reloads.count.withLock { $0 += 1 } })
    }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

    var text: String {
        FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func status<Value>(_ body: () async throws(PageFailure) -> Value) async -> HTTPResponse.Status {
        do throws(PageFailure) {
            _ = try await body()
            return .ok
        } catch {
            #expect(!error.sentence.isEmpty)
            return error.status
        }
    }

    // MARK: - The history

    private func remember() throws {
        let store = try HistoryStore(directory: folder.path, durability: .process, pageLimit: nil)
        func event(_ minute: Int64, _ kind: Event.Kind) -> Event {
            Event(time: Self.now - 630_000_000_000 + minute * 60_000_000_000, node: "pi", sequence: 1, kind: kind)
        }
        let events = [
            event(0, .didStartMonitoring(region: "home")), event(3, .didDetermineState(region: "home", .inside)),
        ].compactMap { HistoryEvent($0) }
        let minutes = [1, 2, 9].map { (minute: Int64) in
            SignalMinute(
                time: Self.now - 630_000_000_000 + minute * 60_000_000_000, region: minute == 9 ? "other" : "home",
                heard: 3, signal: .init(count: 3, mean: -61.44, lowest: -70, highest: -55, accuracy: 2))
        }
        try store.record(events, minutes)
    }

    @Test func `a day, its events and its signal`() async throws {
        try remember()
        let page = page()
        let days = try await page.days()
        #expect((days.first, days.last) == ("2026-11-21", "2026-11-21"))
        #expect(days.offsets == ZoneOffset.list(around: Self.now) && days.offsets.first?.from == nil)
        let all = try await page.history(from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z")
        #expect(all.events.count == 2 && all.next == nil)
        #expect(all.events[1].contains("\"event\":\"didDetermineState\""))
        let some = try await page.history(from: "2026-11-21T07:01:00Z", to: "2026-11-21T07:03:00Z")
        #expect(some.events.isEmpty)
        let none = try await page.history(from: "2026-11-21T08:00:00Z", to: "2026-11-21T07:00:00Z")
        #expect(none.events.isEmpty && none.next == nil)
        let signal = try await page.signal(of: "home")
        #expect(signal.points.map(\.rssi) == [-61.4, -61.4])
        #expect(signal.points.first?.time == "2026-11-21T07:01:00.000Z")
        #expect(try await page.signal(of: "nobody").points.isEmpty)
        let signals = try await page.signals(of: [])
        #expect(signals.from == "2026-11-21T07:00:00.000Z")
        let home = [nil, -61.4, -61.4] + [Double?](repeating: nil, count: 8)
        let late = [Double?](repeating: nil, count: 9) + [-61.4, nil]
        #expect(signals.signals == ["home": home, "other": late])
        #expect(try await page.signals(of: ["home", "nobody"]).signals == ["home": home])
        #expect(try await page.signals(of: ["home", "other"]) == signals)
        let whole = try await page.picture(of: "2026-11-21")
        let part = try await page.picture(
            of: "2026-11-21", from: "2026-11-21T07:00:00Z", to: "2026-11-21T07:20:00Z")
        let rest = try await page.picture(of: "2026-11-21", from: "2026-11-21T23:00:00Z")
        #expect(rest.contains(">23:30<"))
        let narrow = try await page.picture(of: "2026-11-21", width: "360")
        #expect(narrow.contains("viewBox=\"0 0 360 ") && !narrow.contains(">03:00<") && narrow.contains(">18:00<"))
        #expect(try await page.picture(of: "2026-11-21", width: "99999") == whole)
        #expect(try await page.picture(of: "2026-11-21", language: "ja").contains("2026年11月21日(土)"))
        #expect(try await page.picture(of: "2026-11-21", language: "en") == whole)
        await #expect(throws: PageFailure.self) { try await page.picture(of: "2026-11-21", language: "de") }
        // A part of another day is not one of this one: no line a minute.
        let other = try await page.picture(
            of: "2026-11-21", from: "2026-11-20T07:00:00Z", to: "2026-11-20T07:20:00Z")
        #expect(other == whole)
        #expect(whole.hasPrefix("<svg") && part.hasPrefix("<svg"))
        #expect(whole.contains(">24:00<") && !part.contains(">24:00<") && part.contains(">07:10<"))
    }

    @Test(arguments: ["2262-04-11", "1677-09-21", "9999-12-31", "0001-01-01", "2026-11-21"])
    func `times at the ends of a clock of nanoseconds are answered`(day: String) async throws {
        try remember()
        let page = page()
        let times = [
            nil, "2262-04-11T23:47:16Z", "2262-04-11T23:46:30Z", "2262-04-11T22:00:00Z", "1677-09-21T00:12:44Z",
            "1677-09-21T01:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
        ]
        for from in times {
            for to in times {
                #expect(try await page.picture(of: day, from: from, to: to).hasPrefix("<svg"))
                let (first, last) = (from ?? "2026-11-21T07:00:00Z", to ?? "2026-11-21T07:05:00Z")
                #expect(try await page.history(from: first, to: last).next == nil)
            }
            #expect(try await page.mistakes(of: "home", since: from).hasPrefix("{"))
        }
    }

    @Test func `a long history is answered in parts, of one region if asked for`() async throws {
        let store = try HistoryStore(directory: folder.path, durability: .process, pageLimit: nil)
        // Later ones may have an earlier time, after the clock was set.
        let events = (0..<4500).map { index in
            Event(
                time: Self.now - Int64(index % 7) * 1_000_000_000, node: "pi", sequence: UInt64(index),
                kind: .didExitRegion(region: index.isMultiple(of: 3) ? "office" : "home"))
        }
        try store.record(events.compactMap { HistoryEvent($0) }, [])
        for region in [nil, "home", "nobody"] {
            var (found, parts, next): ([String], Int, String?) = ([], 0, nil)
            repeat {
                let part = try await page().history(
                    from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", region: region, after: next)
                #expect(part.events.count <= 2000)
                found += part.events
                parts += 1
                next = part.next.map { "\($0)" }
            } while next != nil && parts < 10
            #expect(found == events.filter { region == nil || $0.region == region }.map(\.json))
            #expect(parts == (region == nil ? 3 : region == "home" ? 2 : 1))
        }
    }

    @Test func `the false exits are answered as they are printed`() async throws {
        try remember()
        let answer = try await page().mistakes(of: nil, since: "2026-11-21T07:05:00Z")
        #expect(
            try answer
                == MistakesHistory(
                    directory: folder.path, region: nil, since: Timestamp.nanoseconds("2026-11-21T07:05:00Z")
                ).json)
        #expect(answer.contains("2026-11-21T07:05:00.000Z"))
    }

    @Test func `what cannot be answered has a status and a sentence`() async throws {
        let page = page()
        #expect(await status { () async throws(PageFailure) in try await page.days() } == .notFound)
        let without = self.page(directory: nil)
        #expect(await status { () async throws(PageFailure) in try await without.signal(of: "home") } == .notFound)
        #expect(await status { () async throws(PageFailure) in try await without.signals(of: []) } == .notFound)
        for day in ["", "today", "2026-11-99", "../../../etc"] {
            let found = await status { () async throws(PageFailure) in
                try await page.picture(of: day)
            }
            #expect(found == .badRequest, "\(day)")
        }
        for width in ["", "wide", "1e3", "99999999999999999999"] {
            let found = await status { () async throws(PageFailure) in
                try await page.picture(of: "2026-11-21", width: width)
            }
            #expect(found == .badRequest, "\(width)")
        }
        let (from, to) = ("2026-11-21T07:00:00Z", "2026-11-21T08:00:00Z")
        for (from, to, after) in [
            ("", "", nil), (from, "2", nil), ("1", "2", nil), (from, to, "x"), (from, to, "99999999999999999999"),
        ] {
            let found = await status { () async throws(PageFailure) in
                try await page.history(from: from, to: to, after: after)
            }
            #expect(found == .badRequest)
        }
        #expect(
            await status { () async throws(PageFailure) in try await page.mistakes(of: nil, since: "x") } == .badRequest
        )
        try Data("no database".utf8).write(to: URL(filePath: "\(folder.path)/history.sqlite"))
        #expect(await status { () async throws(PageFailure) in try await page.days() } == .serviceUnavailable)
    }

    @Test func `the networks in range are listed`() async throws {
        let networks = try await page().networks()
        #expect(networks.networks.map(\.ssid) == ["HomeNet"])
    }

    // MARK: - The configuration

    func set(_ request: String) async throws(PageFailure) -> ConfigurationReport {
        try await page().set(Array(request.utf8))
    }

    static let keys = """
        {"region": {"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 7, "enterRSSI": -80}}
        """

    @Test func `a region is written, the file before kept, and the daemon goes by it`() async throws {
        let before = "{\n  \"history\": {\"keep\": 30},\n  \"regions\": []\n}\n"
        try write(before)
        let report = try await set(Self.keys)
        #expect(report.written == true && report.text == text)
        #expect(text.contains("\"enterRSSI\": -80") && text.hasPrefix("{\n  \"history\": {\"keep\": 30},\n"))
        let kept = FileManager.default.contents(atPath: "\(file).bak").map { String(decoding: $0, as: UTF8.self) }
        #expect(kept == before)
        #expect(reloads.count.withLock(\.self) == 1)
        #expect(try await page().configuration().text == text)
    }

    private static let hooked = """
        {"regions": [{"identifier": "home", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1,
          "onEnter": ["/bin/secret", "--token=abc"], "on\\u0045xit": ["/bin/secret"]}],
         "services": [{"service": "180F", "onConnect": ["/bin/secret"]}]}
        """

    @Test func `commands are not shown, and what is shown in their place is refused as a configuration`() async throws {
        try write(Self.hooked)
        let report = try await page().configuration()
        #expect(report.redacted && !report.text.contains("secret") && !report.text.contains("abc"), "\(report.text)")
        #expect(report.text.contains("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0") && report.text.contains("180F"))
        let tried = try await set(Self.keys.dropLast() + ", \"dry\": true}")
        #expect(tried.redacted && !tried.text.contains("secret") && tried.text.contains("keys"))
        #expect(throws: ConfigurationError.self) {
            _ = try ConfigurationText(report.text, file: "beacons.json").configuration()
        }
        #expect(try await set(Self.keys).written == true)
        #expect(text.contains("--token=abc"), "the file keeps its commands")
        try write("{\"regions\": [{\"onEnter\": [\"/bin/secret\"]")
        #expect(
            await status { () async throws(PageFailure) in try await page().configuration() } == .serviceUnavailable)
        try write("{\"regions\": []}")
        #expect(try await page().configuration().redacted == false)
    }

    @Test(arguments: [
        "\"uuid\": \"00112233-4455-6677-8899-AABBCCDDEEFF\"", "\"major\": 2", "\"minor\": 3", "\"major\": null",
    ])
    func `the beacon of a region that runs commands is not changed from the page`(change: String) async throws {
        try write(Self.hooked)
        let request = "{\"region\": {\"identifier\": \"home\", \(change)}"
        #expect(await status { () async throws(PageFailure) in try await set(request + "}") } == .forbidden)
        #expect(text == Self.hooked && reloads.count.withLock(\.self) == 0)
        #expect(try await set(request + ", \"dry\": true}").written == false, "it can be copied by hand")
    }

    @Test func `other settings of a region that runs commands are changed from the page`() async throws {
        try write(Self.hooked)
        let same = "\"uuid\": \"e2c56db5-dffb-48d2-b060-d0f5a71096e0\", \"major\": 1, \"exitAfter\": 60"
        #expect(try await set("{\"region\": {\"identifier\": \"home\", \(same)}}").written == true)
        #expect(text.contains("\"exitAfter\": 60") && text.contains("--token=abc"))
    }

    static let full = """
        {"regions": [{"identifier": "home", "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 1, "scope": "node",
          "wifi": {"ssid": "HomeNet", "passphraseFile": "/etc/okaeri/HomeNet.psk", "security": "wpa3"},
          "onEnter": ["/bin/secret", "--token=abc"], "enterRSSI": -80.0, "exitAfter": 1.5e1}]}

        """

    // The patches are those of the page for a change in one part of its form.
    @Test(arguments: [
        ("", "", ""),
        (", \"enterRSSI\": -70, \"exitRSSI\": -85", "-80.0", "-70, \"exitRSSI\": -85"),
        (", \"measuredPower\": -61", "1.5e1", "1.5e1, \"measuredPower\": -61"),
        (
            ", \"wifi\": {\"ssid\": \"HomeNet\", \"join\": \"auto\"}", "\"HomeNet\", \"passphraseFile\"",
            "\"HomeNet\", \"join\": \"auto\", \"passphraseFile\""
        ),
        (
            ", \"wifi\": {\"ssid\": \"Other\", \"join\": \"prompt\"}",
            "{\"ssid\": \"HomeNet\", \"passphraseFile\": \"/etc/okaeri/HomeNet.psk\", \"security\": \"wpa3\"}",
            "{\"ssid\": \"Other\", \"join\": \"prompt\"}"
        ),
        (
            ", \"wifi\": null",
            "\n  \"wifi\": {\"ssid\": \"HomeNet\", \"passphraseFile\": \"/etc/okaeri/HomeNet.psk\", \"security\": \"wpa3\"},",
            ""
        ),
    ])
    func `a change in one part of the form keeps the rest of the file byte for byte`(
        patch: String, old: String, new: String
    ) async throws {
        try write(Self.full)
        #expect(try await set("{\"region\": {\"identifier\": \"home\"\(patch)}}").written == true)
        #expect(text == (old.isEmpty ? Self.full : Self.full.replacing(old, with: new)))
        #expect(FileManager.default.fileExists(atPath: "\(file).bak") == !old.isEmpty)
    }

    @Test func `a region is refused with what is shown in the place of its commands`() async throws {
        try write(Self.full)
        let shown = try await page().configuration().text
        #expect(shown.contains("(not/shown)"))
        // The text of the only region is between the two brackets.
        let start = try #require(shown.firstIndex(of: "["))
        let end = try #require(shown.lastIndex(of: "]"))
        let request = "{\"region\": \(shown[start..<end].dropFirst())}"
        #expect(throws: Never.self) { try JSONNode(json: Array(request.utf8), file: "the request") }
        let found = await status { () async throws(PageFailure) in try await set(request) }
        #expect(found == .badRequest)
        #expect(text == Self.full && reloads.count.withLock(\.self) == 0)
    }

    @Test func `what is only tried is not written`() async throws {
        try write("{\"regions\": []}")
        let report = try await set(Self.keys.dropLast() + ", \"dry\": true}")
        #expect(report.written == false && report.writable && report.text.contains("keys"))
        #expect(text == "{\"regions\": []}" && reloads.count.withLock(\.self) == 0)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"region\": 3}", "{\"region\": {\"uuid\": \"x\"}}",
        "{\"region\": {\"identifier\": \"keys\", \"uuid\": \"x\"}}",
        "{\"region\": {\"identifier\": \"keys\", \"onEnter\": [\"/bin/sh\"]}}",
        "{\"region\": {\"identifier\": \"keys\", \"wifi\": {\"ssid\": \"x\", \"passphraseFile\": \"/etc/shadow\"}}}",
    ])
    func `what is not a region, or more than that, changes nothing`(request: String) async throws {
        try write("{\"regions\": []}")
        #expect(await status { () async throws(PageFailure) in try await set(request) } == .badRequest)
        #expect(text == "{\"regions\": []}" && reloads.count.withLock(\.self) == 0)
    }

    @Test func `a file that may not be written is shown to be copied`() async throws {
        // A folder in place of the previous version cannot be replaced by any user.
        try write("{\"regions\": []}")
        try FileManager.default.createDirectory(atPath: "\(file).bak/x", withIntermediateDirectories: true)
        let report = try await set(Self.keys)
        #expect(report.written == false && report.reason != nil && report.text.contains("keys"))
        #expect(text == "{\"regions\": []}" && reloads.count.withLock(\.self) == 0)
    }
}
