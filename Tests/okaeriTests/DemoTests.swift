import Foundation
import OkaeriTestSupport
import Testing

@testable import okaeri

/// `okaeri demo` as people run it.
@Suite(.blocks, .timeLimit(.minutes(5))) struct DemoTests {
    @Test func `the demo shows an arrival and a departure, and leaves nothing behind`() throws {
        let binary = try Binary()
        let temporary = try TemporaryFolder()
        _ = try binary.file("beacons.json", #"{"regions": 1}"#.utf8)
        let demo = try binary.run(["demo", "--speed", "20"], environment: ["TMPDIR": temporary.path])
        #expect(demo.status == 0 && demo.errors.isEmpty, "\(demo)")
        #expect(demo.output.hasPrefix("A capture stands in for the Bluetooth adapter, at 20 times its speed"))
        var rest = demo.output[...]
        for event in [
            "didStartMonitoring", "didEnterRegion", "wifiPrompt", "wifiPromptAnswered", "wifiJoined", "didRangeBeacons",
            "didExitRegion", "didDetermineState  home outside", "sudo okaeri setup",
        ] {
            let found = try #require(rest.range(of: event), "\(event) is missing in \(demo.output)")
            rest = rest[found.upperBound...]
        }
        #expect(demo.output.components(separatedBy: "didRangeBeacons").count <= 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: binary.folder) == ["beacons.json"])
    }

    @Test func `the capture is that of the sources, or else that of the package`() throws {
        #expect(DemoCapture.file() == Binary.capture)
        let other = DemoCapture.file(program: "/usr/bin/okaeri")
        #expect(other == nil || other == DemoCapture.installed)
    }
}
