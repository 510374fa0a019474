import FoundationEssentials
import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriListening

@Suite struct CalibrationTests {
    private let folder = try? TemporaryFolder()
    private let twin = BeaconIdentity(uuid: home.uuid, major: 100, minor: 7)

    private func region(_ constraint: BeaconConstraint = .uuid(home.uuid)) -> MonitoredRegion {
        MonitoredRegion(BeaconRegion(identifier: "home", constraint: constraint))
    }

    /// Returns the result of `calibrate` for a capture with these readings, ten a second, and with the neighbour's in
    /// between.
    private func calibrate(
        _ readings: [(BeaconIdentity, Int8)], _ region: MonitoredRegion, distance: Double? = nil, isNode: Bool = false,
        for seconds: Double = 20, cut: Int = 0, in language: Language = .english
    ) async throws -> String {
        var bytes: [UInt8] = []
        let writer = BtsnoopWriter()
        writer.appendHeader(to: &bytes)
        for (index, (beacon, rssi)) in readings.enumerated() {
            for event in [event(beacon, rssi: rssi), event(neighbour, rssi: -40)] {
                writer.append(.event, event.span.bytes, time: evening + nanoseconds(Double(index) / 10), to: &bytes)
            }
        }
        let file = try #require(folder).file("calibration", Array(bytes.dropLast(cut)))
        let session = try ListeningSession(regions: [], adapter: nil, capture: file, speed: nil, logger: quiet)
        let question = CalibrationSummary.Question(
            region: region, distance: distance, duration: .seconds(seconds), isNode: isNode)
        let progress = Mutex<[Int]>([])
        let calibration = try await session.calibrate(try #require(region.constraint), for: .seconds(seconds), with: [])
        { left, readings in
            progress.withLock { $0.append(readings) }
            #expect(left <= .seconds(seconds))
        }
        #expect(progress.withLock { $0 == $0.sorted() && !$0.isEmpty })
        do throws(Calibration.Failure) {
            let summary = try CalibrationSummary(calibration, question)
            #expect(summary.json.contains("\"region\":\"\(region.identifier)\",\"key\":\""), "\(summary.json)")
            let text = summary.text(in: language)
            #expect(text.contains("\(summary.line)"))
            return text
        } catch {
            return CalibrationSummary.sentence(error, question).sentence(in: language)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `at one metre it is the measured power`() async throws {
        let readings = (0..<200).map { (home, Int8(-63 + $0 % 3)) }
        #expect(
            try await calibrate(readings, region()) == """
                home: -62 dBm at one metre
                  major 100 minor 100, which itself states -59 dBm at one metre
                  200 readings; the middle 80 % are between -63 and -61 dBm

                Add to region "home" of beacons.json, above "identifier":

                  "measuredPower": -62,
                """)
    }

    @Test(.timeLimit(.minutes(5)))
    func `the result and the failures are Japanese, too`() async throws {
        let readings = (0..<200).map { (home, Int8(-63 + $0 % 3)) }
        #expect(
            try await calibrate(readings, region(), in: .japanese) == """
                home: 1 m で -62 dBm
                  major 100 minor 100（ビーコン自身の値は 1 m で -59 dBm）
                  受信 200 回、中央の 80 % は -63～-61 dBm

                beacons.json のリージョン「home」の "identifier" の上に、次の行を追加してください：

                  "measuredPower": -62,
                """)
        let few = try await calibrate([(home, -60), (home, -60)], region(), in: .japanese)
        #expect(few.hasPrefix("20 秒間に、必要な 10 回のうち 2 回しか受信できませんでした。`--duration`"), "\(few)")
        let both = (0..<200).map { ($0 % 2 == 0 ? home : twin, -60 as Int8) }
        #expect(
            try await calibrate(both, region(), in: .japanese)
                .hasPrefix("「home」のビーコンを 2 個受信しました：major 100 minor 7（受信 100 回）、major 100 minor 100"))
    }

    @Test(.timeLimit(.minutes(5)), arguments: [(nil, -59), (-60, -60)] as [(Int8?, Int)])
    func `a node's offset is what it receives too weakly`(measuredPower: Int8?, due: Int) async throws {
        var region = region()
        region.measuredPower = measuredPower
        let text = try await calibrate((0..<200).map { _ in (home, -67) }, region, isNode: true)
        #expect(text.contains("this machine hears -67.0 dBm at one metre, where \(due) dBm are due"))
        let line = try #require(text.split(separator: "\n").last)
        let json = Array("{ \(line), \"regions\": [] }".utf8)
        #expect(try Configuration(json: json, file: "beacons.json").node.offset == Double(due + 67))
    }

    @Test(.timeLimit(.minutes(5)))
    func `the printed line makes the distance right`() async throws {
        var region = region()
        region.measuredPower = -60
        let text = try await calibrate((0..<200).map { _ in (home, -78) }, region, distance: 4)
        #expect(text.contains("-60 dBm at one metre, -78.0 dBm at 4 m"))
        let line = try #require(text.split(separator: "\n").last?.drop { $0 == " " })
        let json = """
            {"regions": [{ "measuredPower": -60,
              \(line)
              "identifier": "home", "uuid": "\(uuidText)" }]}
            """
        let configured = try Configuration(json: Array(json.utf8), file: "beacons.json").regions[0].monitored
        let exponent = try #require(configured.pathLossExponent)
        #expect(abs(PathLoss.accuracy(signal: -78, measuredPower: -60, exponent: exponent) - 4) < 0.02)
        #expect(
            try await calibrate((0..<99).map { _ in (home, -78) }, configured, distance: 4)
                .contains("replace the old line"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `what is heard after the time does not count`() async throws {
        let readings = (0..<400).map { (home, $0 < 201 ? -60 : -90 as Int8) }
        #expect(try await calibrate(readings, region()).hasPrefix("home: -60 dBm at one metre"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `of a capture that is cut, what stood before the cut counts`() async throws {
        let text = try await calibrate((0..<100).map { _ in (home, -60) }, region(), cut: 5)
        #expect(text.contains("100 readings"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `readings without a result are refused with the reason and the remedy`() async throws {
        let both = (0..<200).map { ($0 % 2 == 0 ? home : twin, -60 as Int8) }
        #expect(
            try await calibrate(both, region())
                == "2 beacons of \"home\" were received: major 100 minor 7 (100 readings), major 100 minor 100 (100 readings); "
                + "move the others away, or name one with `okaeri calibrate UUID/MAJOR/MINOR`")
        #expect(try await calibrate(both, region(.minor(home.uuid, 100, 7))).hasPrefix("home: -60 dBm"))
        #expect(
            try await calibrate([(neighbour, -60)], region()).hasPrefix("no beacon of \"home\" was received in 20 s;"))
        #expect(
            try await calibrate((0..<20).map { _ in (home, 127) }, region())
                == "\"home\" was received 20 times in 20 s, always without a signal strength; use an adapter or a capture that "
                + "has signal strengths")
        let few = try await calibrate([(home, -60), (home, -60)], region())
        #expect(few.hasPrefix("only 2 of the 10 required readings were received in 20 s;"))
        let moved = try await calibrate((0..<200).map { (home, Int8(-90 + $0 / 6)) }, region())
        #expect(moved.hasPrefix("half of the readings differ by"))
        #expect(
            try await calibrate((0..<200).map { _ in (home, -60) }, region(), distance: 8).contains(
                "check the distance"))
    }
}
