import FoundationEssentials
import Glibc
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriRooms
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory

@Suite struct RecordedEventTests {
    private func recorded(_ kind: Event.Kind) throws -> RecordedEvent {
        RecordedEvent(try #require(HistoryEvent(Event(time: evening, kind: kind))))
    }

    @Test func `a row of CSV has a field for each column, quoted where it must be`() throws {
        let columns = RecordedEvent.header.split(separator: ",").count
        let wifi = Event.WiFi(id: "1", ssid: "a \"b\", c", region: "home")
        let row = try recorded(.wifiPromptAnswered(wifi, answer: .later)).csv
        #expect(row == #"2026-11-20T18:42:00.000Z,wifiPromptAnswered,home,,,,,,,,1,"a ""b"", c",later,,,,,,,,,,,,,,,"#)
        let enter = try recorded(
            .didEnterRegion(region: "h", .init(identity: home, rssi: -78, accuracy: 2.104)))
        #expect(enter.csv.split(separator: ",", omittingEmptySubsequences: false).count == columns)
        #expect(enter.csv.contains("\(uuidText),100,100,-78,2.1,near"))
        #expect(try recorded(.monitoringDidFail(region: "h", reason: "a\nb")).csv.hasSuffix(",a\\u{A}b,,,,,,,,,,,"))
    }

    @Test(arguments: ["=HYPERLINK(\"http://a\")", "+1", "-1", "@a", "\t=1", "\r=1"])
    func `a name that a spreadsheet takes for a formula begins with an apostrophe`(name: String) throws {
        let row = try recorded(.house(region: "keys", .didDetermineRoom(name))).csv
        let cell = "'" + name.escapedName.replacing("\"", with: "\"\"")
        let expected = name.contains("\"") ? "\"\(cell)\"" : cell
        #expect(row.contains(",\(expected),"), "\(row)")
        #expect(
            try recorded(.didEnterRegion(region: "h", .init(identity: home, rssi: -78, accuracy: 2))).csv.contains(
                ",-78,"))
    }

    @Test func `a formula behind a separator of other spreadsheets is text, in quotation marks`() throws {
        for (name, cell) in [
            ("a;=HYPERLINK(1)", "\"a;'=HYPERLINK(1)\""), ("a;b", "\"a;b\""), ("a-b", "a-b"),
            ("a\t=1", "a\\u{9}=1"),
        ] {
            let row = try recorded(.house(region: "keys", .didDetermineRoom(name))).csv
            #expect(row.contains(",\(cell),"), "\(row)")
        }
    }

    @Test(arguments: ["a\u{1B}[2Jb", "a\n19:00:00  didExitRegion  home", "a\u{9B}31mb", "a\u{202E}b"])
    func `a name with control characters cannot forge a line or reach a terminal`(name: String) throws {
        let kinds: [Event.Kind] = [
            .house(region: "keys", .didDetermineRoom(name)),
            .house(region: "keys", .didEnterRegion(room: name, isOwner: true)),
            .wifiPrompt(.init(id: "1", ssid: name, region: "home")), .monitoringDidFail(region: "home", reason: name),
            .peripheralDidConnect(.init(identifier: "a", service: "180D", address: "DC:A6:32:01:02:03", name: name)),
        ]
        for kind in kinds {
            let event = try recorded(kind)
            for text in [event.line, event.csv, event.recorded.json] { #expect(text.isPlainName, "\(text)") }
        }
        let unreadable = HistoryEvent(time: evening, name: name, region: name, json: "{")
        #expect(RecordedEvent(unreadable).line.isPlainName)
    }

    @Test func `the connected peripheral is not lost`() throws {
        let event = try recorded(
            .peripheralDidConnect(
                .init(identifier: "watch", service: "180D", address: "DC:A6:32:01:02:03", name: "Band")))
        #expect(event.csv.hasSuffix(",watch,180D,DC:A6:32:01:02:03,Band,,,,,,,"))
        #expect(event.line.hasSuffix("  peripheralDidConnect  watch  180D  DC:A6:32:01:02:03  Band"))
    }

    @Test func `what is not an event is shown as far as it goes`() {
        let event = HistoryEvent(time: evening, name: "later", region: nil, json: "{\"event")
        #expect(RecordedEvent(event).line.hasSuffix("  later"))
        #expect(RecordedEvent(event).csv.contains(","))
    }
}

/// Each in a process of its own: the C library has one time zone, and the environment must not be changed beside other
/// readers.
@Suite struct LocalTimeTests {
    @Test func `times are the house's`() async {
        await #expect(processExitsWith: .success) {
            moveToBerlin()
            #expect(LocalTime.text(evening) == "2026-11-20 19:42:00 CET")
            #expect(LocalTime.timeOfDay(evening + 7_000_000) == "19:42:00.007 CET")
            #expect(LocalTime.text(stamp: "2026-11-20T18:42:00.000Z") == "2026-11-20 19:42:00 CET")
            #expect(Language.english.date(evening) == "Friday, 20 November 2026")
            #expect(LocalTime.zone(evening) == "CET, UTC+01:00")
            let midnight = evening - nanoseconds(19.7 * 3600)
            #expect(LocalTime.startOfDay(evening) == midnight)
            #expect(LocalTime.startOfDay(evening, adding: 1) == midnight + nanoseconds(86_400))
            for time in [Int64.min, .max] { _ = (LocalTime.startOfDay(time, adding: 1), LocalTime.text(time)) }
        }
    }

    @Test func `the offsets of the time zone change when its clocks do`() async {
        await #expect(processExitsWith: .success) {
            moveToBerlin()
            #expect(
                ZoneOffset.list(around: evening) == [
                    ZoneOffset(from: nil, name: "CET", seconds: 3600),
                    ZoneOffset(from: "2026-03-29T01:00:00.000Z", name: "CEST", seconds: 7200),
                    ZoneOffset(from: "2026-10-25T01:00:00.000Z", name: "CET", seconds: 3600),
                    ZoneOffset(from: "2027-03-28T01:00:00.000Z", name: "CEST", seconds: 7200),
                    ZoneOffset(from: "2027-10-31T01:00:00.000Z", name: "CET", seconds: 3600),
                ])
            let earlier = ZoneOffset.list(around: evening, since: evening - nanoseconds(3 * 366 * 86_400))
            #expect(earlier.count == 9 && earlier[1].from == "2024-03-31T01:00:00.000Z")
            // A history may have any time; the list has an end.
            for (now, first) in [(evening, Int64.min), (.max, .min), (.min, .max), (.max, nil), (.min, nil)] {
                #expect(1...44 ~= ZoneOffset.list(around: now, since: first).count)
            }
        }
    }

    @Test func `a zone without summer time has one offset`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "JST-9", 1)
            tzset()
            #expect(ZoneOffset.list(around: evening) == [ZoneOffset(from: nil, name: "JST", seconds: 32_400)])
        }
    }

    @Test func `a day in which the clock is changed is as long as it is`() async {
        await #expect(processExitsWith: .success) {
            moveToBerlin()
            for (day, hours) in [("2026-03-29", 23.0), ("2026-10-25", 25)] {
                let start = try #require(LocalTime.moment(day))
                #expect(LocalTime.startOfDay(start, adding: 1) - start == nanoseconds(hours * 3600))
            }
        }
    }

    @Test func `a time is written as people write it`() async {
        await #expect(processExitsWith: .success) {
            moveToBerlin()
            func moment(_ text: String) -> Double? {
                WrittenTime.nanoseconds(text, now: evening).map { Double($0 - evening) / 3.6e12 }
            }
            #expect(moment("2h") == -2)
            #expect(moment("90m") == -1.5)
            #expect(moment("1w") == -168)
            #expect(moment("now") == 0)
            #expect(moment("today") == -19.7)
            #expect(moment("yesterday") == -43.7)
            #expect(moment("2026-11-20") == -19.7)
            #expect(moment("2026-11-20T19:42") == 0)
            #expect(moment("2026-11-20 19:42:36") == 0.01)
            #expect(moment("2026-11-20T18:42:36Z") == 0.01)
            #expect(moment("2026-11-20T18:42:36.000Z") == 0.01)
            #expect(moment("2026-11-20T19:42:36+01:00") == 0.01)
            for text in [
                "", "h", "-2h", "2 h", "2x", "soon", "2026-02-30", "2026-13-01", "2026-11-20T25:00", "20261120",
            ] {
                #expect(moment(text) == nil, "\(text)")
            }
            #expect(WrittenTime.nanoseconds("99999999999999w", now: evening) == 0)
            for far in ["9999-12-31T00:00:00Z", "9999-12-31T00:00:00.5Z", "9999-12-31"] {
                #expect(WrittenTime.nanoseconds(far, now: evening) == .max, "\(far)")
            }
            for early in ["0001-01-01T00:00:00Z", "0001-01-01"] {
                #expect(WrittenTime.nanoseconds(early, now: evening) == .min, "\(early)")
            }
        }
    }
}

@Suite struct RepeatedHourTests {
    /// The zones with their rules, which need no time zone database.
    private static let berlin = ("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3")
    private static let newYork = ("America/New_York", "EST5EDT,M3.2.0,M11.1.0")
    /// Clocks go back to midnight in November, and past it in March.
    private static let havana = ("America/Havana", "CST5CDT,M3.2.0/0,M11.1.0/1")

    private static func move(to zone: (name: String, rule: String)) {
        let isKnown = access("/usr/share/zoneinfo/\(zone.name)", R_OK) == 0
        setenv("TZ", isKnown ? zone.name : zone.rule, 1)
        tzset()
    }

    private static func expect(_ written: String, is stamp: String) {
        let now = Timestamp.nanoseconds("2026-12-01T00:00:00Z") ?? 0
        // mktime remembers the offset of its last answer.
        for before in ["2026-01-01T12:00", "2026-07-01T12:00"] {
            _ = WrittenTime.nanoseconds(before, now: now)
            let found = WrittenTime.nanoseconds(written, now: now)
            #expect(
                found.map { Timestamp.text($0) } == Timestamp.nanoseconds(stamp).map { Timestamp.text($0) },
                "\(written)")
        }
    }

    @Test func `a time in the hour that Berlin repeats is the earlier one, and one that it skips is the change`() async
    {
        await #expect(processExitsWith: .success) {
            Self.move(to: Self.berlin)
            Self.expect("2026-10-25T01:59", is: "2026-10-24T23:59:00Z")
            Self.expect("2026-10-25T02:00", is: "2026-10-25T00:00:00Z")
            Self.expect("2026-10-25T02:30", is: "2026-10-25T00:30:00Z")
            Self.expect("2026-10-25T03:00", is: "2026-10-25T02:00:00Z")
            Self.expect("2026-03-29T01:59:59", is: "2026-03-29T00:59:59Z")
            Self.expect("2026-03-29T02:30", is: "2026-03-29T01:00:00Z")
            Self.expect("2026-03-29T03:00", is: "2026-03-29T01:00:00Z")
        }
    }

    @Test func `a time in the hour that New York repeats is the earlier one, and one that it skips is the change`()
        async
    {
        await #expect(processExitsWith: .success) {
            Self.move(to: Self.newYork)
            Self.expect("2026-11-01T01:30", is: "2026-11-01T05:30:00Z")
            Self.expect("2026-11-01T02:00", is: "2026-11-01T07:00:00Z")
            Self.expect("2026-03-08T02:30", is: "2026-03-08T07:00:00Z")
        }
    }

    @Test func `a day begins at its first midnight, or at the change past it`() async {
        await #expect(processExitsWith: .success) {
            Self.move(to: Self.havana)
            Self.expect("2026-11-01", is: "2026-11-01T04:00:00Z")
            Self.expect("2026-03-08", is: "2026-03-08T05:00:00Z")
        }
    }
}

@Suite struct DayChartTests {
    /// Draws a day of a history that has one event, for two configured regions.
    private static func expectPicture(of day: Int64, _ comment: String) throws {
        let folder = try TemporaryFolder()
        let store = try HistoryStore(directory: folder.path, durability: .process)
        try store.record([HistoryEvent(time: evening, name: "didExitRegion", region: "home", json: "{}")], [])
        let regions = ["home", "keys"].map { name in
            Configuration.Region(monitored: monitored(identifier: name))
        }
        for scope in [nil, DayChart.Scope.configured, .former] {
            for window in [nil, day..<day.addingClamped(60_000_000_000)] {
                var chart = DayChart(directory: folder.path, day: day, regions: regions)
                (chart.scope, chart.window) = (scope, window)
                let picture = try chart.svg(now: evening)
                #expect(picture.hasPrefix("<svg") && picture.hasSuffix("</svg>\n"), "\(comment)")
            }
        }
    }

    @Test(arguments: ["UTC", "<+13>-13", "<-11>11", "LMT-14:59:59"])
    func `a day at the ends of a clock of nanoseconds has a picture in each zone`(zone: String) async {
        await #expect(processExitsWith: .success) { [zone] in
            setenv("TZ", zone, 1)
            tzset()
            for day in [Int64.min, .min + 1, 0, .max - 1, .max] { try Self.expectPicture(of: day, "\(day)") }
            for written in [
                "2262-04-10", "2262-04-11", "2262-04-12", "2262-04-13", "1677-09-20", "1677-09-21", "1677-09-22",
                "9999-12-31", "0001-01-01",
            ] {
                try Self.expectPicture(of: try #require(LocalTime.moment(written)), written)
            }
        }
    }

    @Test func `the last and the first midnight of a clock of nanoseconds are found in zones beyond them in UTC`() async
    {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "<+13>-13", 1)
            tzset()
            #expect(LocalTime.moment("2262-04-12") == Timestamp.nanoseconds("2262-04-11T11:00:00Z"))
            setenv("TZ", "<-11>11", 1)
            tzset()
            #expect(LocalTime.moment("1677-09-20T20:00") == Timestamp.nanoseconds("1677-09-21T07:00:00Z"))
        }
    }

    /// Samoa left out a day, Kwajalein too, Alaska had one twice (by the zones of Debian, if they are there).
    @Test(arguments: [
        ("Pacific/Apia", "2011-12-30"), ("Pacific/Kwajalein", "1993-08-21"), ("America/Juneau", "1867-10-18"),
    ])
    func `a day that a zone leaves out, or has twice, has a picture`(zone: String, day: String) async {
        await #expect(processExitsWith: .success) { [zone, day] in
            setenv("TZ", zone, 1)
            tzset()
            let moment = try #require(LocalTime.moment(day))
            for offset in [Int64(-86_400), 0, 86_400] {
                try Self.expectPicture(of: moment + offset * 1_000_000_000, "\(day) \(offset)")
            }
        }
    }
}

/// Central European Time by its rule, which needs no time zone database.
private func moveToBerlin() {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
    tzset()
}
