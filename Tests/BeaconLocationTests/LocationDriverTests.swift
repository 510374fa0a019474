import FoundationEssentials
import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPresence
import RegionMonitoring
import Synchronization
import Testing

@testable import BeaconLocation

/// The driver's reaction to a scanner's receptions, without a scanner.
@Suite struct LocationDriverTests {
    private let bench = LocationBench()
    private let home = BeaconRegion(identifier: "home", constraint: .uuid(LocationBench.beacon.uuid))

    /// The beacon that was received so many seconds ago.
    private func seen(_ rssi: Int, ago seconds: Int64 = 0, on bench: LocationBench? = nil) -> RangedBeacon {
        let accuracy = PathLoss.accuracy(signal: Double(rssi), measuredPower: -59)
        let timestamp = Instant(nanoseconds: (bench ?? self.bench).now - seconds * 1_000_000_000)
        return RangedBeacon(identity: LocationBench.beacon, rssi: rssi, accuracy: accuracy, timestamp: timestamp)
    }

    @Test func `an arrival and a departure of a beacon are events`() {
        bench.driver.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        #expect(bench.publishedKinds() == [.didStartMonitoring(home), .didDetermineState(.unknown, home)])
        bench.listen()
        #expect(bench.publishedKinds() == [.bluetoothStateDidUpdate(.well)])
        bench.pass(1)
        bench.hear(-59)
        #expect(bench.publishedKinds() == [.didEnterRegion(home, seen(-59)), .didDetermineState(.inside, home)])
        bench.pass(5)
        #expect(bench.publishedKinds() == [.didExitRegion(home), .didDetermineState(.outside, home)])
    }

    @Test func `a controller without reports causes no exit`() {
        bench.driver.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        bench.listen()
        bench.hear(-59)
        _ = bench.publishedKinds()
        bench.pass(60, isAnswering: false)
        #expect(bench.publishedKinds() == [])
    }

    @Test func `switched off the state is unknown and there is no exit`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        bench.hear(-59)
        _ = bench.publishedKinds()
        bench.lose(.off)
        #expect(bench.publishedKinds() == [.bluetoothStateDidUpdate(.off), .didDetermineState(.unknown, home)])
        bench.pass(600)
        bench.listen()
        bench.hear(-59)
        #expect(bench.publishedKinds() == [.bluetoothStateDidUpdate(.well), .didDetermineState(.inside, home)])
    }

    @Test func `without an adapter monitoring fails with the reason`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        _ = bench.publishedKinds()
        bench.lose(.absent)
        #expect(
            bench.publishedKinds() == [
                .bluetoothStateDidUpdate(.absent), .monitoringDidFail(home, .absent),
            ])
        let office = BeaconRegion(identifier: "office", constraint: home.constraint)
        bench.driver.startMonitoring(MonitoredRegion(office))
        #expect(bench.publishedKinds().last == .monitoringDidFail(office, .absent))
        bench.driver.startRanging(home.constraint)
        #expect(bench.publishedKinds() == [.rangingDidFail(home.constraint, .absent)])
    }

    @Test func `ranging reports the beacons once a second and nothing else`() {
        bench.driver.startRanging(home.constraint)
        bench.listen()
        #expect(bench.publishedKinds() == [.bluetoothStateDidUpdate(.well)])
        bench.hear(-59)
        bench.pass(1)
        #expect(bench.publishedKinds() == [.didRange([seen(-59, ago: 1)], home.constraint)])
        bench.driver.stopRanging(home.constraint)
        bench.pass(5)
        #expect(bench.publishedKinds() == [])
        #expect(bench.driver.isIdle)
    }

    @Test func `ranging and monitoring of the same beacons are apart`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.driver.startRanging(home.constraint)
        bench.listen()
        _ = bench.publishedKinds()
        bench.hear(-59)
        bench.pass(1)
        #expect(
            bench.publishedKinds() == [
                .didEnterRegion(home, seen(-59, ago: 1)), .didDetermineState(.inside, home),
                .didRange([seen(-59, ago: 1)], home.constraint),
            ])
        bench.lose(.off)
        #expect(
            bench.publishedKinds() == [
                .bluetoothStateDidUpdate(.off), .didDetermineState(.unknown, home),
                .rangingDidFail(home.constraint, .off),
            ])
    }

    @Test func `the beacons of a region are ranged while it is inside`() {
        bench.driver.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5), ranging: .whileInside))
        bench.listen()
        bench.pass(3)
        #expect(!bench.publishedKinds().contains(.didRangeBeacons([], home)))
        bench.hear(-59)
        _ = bench.publishedKinds()
        bench.pass(1)
        #expect(bench.publishedKinds() == [.didRangeBeacons([seen(-59, ago: 1)], home)])
        bench.pass(4)
        #expect(bench.publishedKinds().suffix(2) == [.didExitRegion(home), .didDetermineState(.outside, home)])
        bench.pass(3)
        #expect(bench.publishedKinds() == [])
    }

    @Test func `a region whose beacons are ranged reports the loss of the adapter`() {
        bench.driver.startMonitoring(MonitoredRegion(home, ranging: .whileInside))
        bench.listen()
        bench.hear(-59)
        _ = bench.publishedKinds()
        bench.lose(.off)
        #expect(
            Set(bench.publishedKinds()) == [
                .bluetoothStateDidUpdate(.off), .didDetermineState(.unknown, home), .rangingBeaconsDidFail(home, .off),
            ])
    }

    @Test func `the timestamp of a beacon has a time on the wall clock`() throws {
        bench.driver.startRanging(home.constraint)
        bench.listen()
        bench.hear(-59)
        bench.pass(1)
        let event = try #require(bench.published().last)
        guard case .didRange(let beacons, _) = event.kind else {
            Issue.record("\(event)")
            return
        }
        let beacon = try #require(beacons.first)
        #expect(BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor) == LocationBench.beacon)
        let timestamp = try #require(beacon.timestamp)
        #expect(event.secondsSince1970(at: timestamp) == event.secondsSince1970 - 1)
    }

    @Test func `a state is reported on request`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        bench.hear(-59)
        _ = bench.publishedKinds()
        bench.driver.requestState("home")
        #expect(bench.publishedKinds() == [.didDetermineState(.inside, home)])
        bench.driver.requestState("office")
        #expect(bench.publishedKinds() == [])
    }

    @Test func `a region takes the place of its namesake`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        let other = BeaconRegion(identifier: "home", constraint: .major(LocationBench.beacon.uuid, 7))
        bench.driver.startMonitoring(MonitoredRegion(other))
        #expect(bench.driver.monitoredRegions.map(\.region) == [other])
        bench.listen()
        _ = bench.publishedKinds()
        bench.hear(-59)
        #expect(bench.publishedKinds() == [])
    }

    @Test func `a region that is not watched any more is not reported`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        #expect(!bench.driver.isIdle)
        bench.driver.stopMonitoring("home")
        _ = bench.publishedKinds()
        bench.hear(-59)
        #expect(bench.publishedKinds() == [])
        #expect(bench.driver.isIdle)
    }

    @Test func `what was received before a region was watched does not count`() {
        bench.driver.startRanging(home.constraint)
        bench.listen()
        bench.hear(-59)
        bench.pass(10)
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.driver.requestState("home")
        #expect(bench.publishedKinds().last == .didDetermineState(.unknown, home))
    }

    @Test func `events carry their time on both clocks`() {
        bench.driver.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        let start = bench.now
        bench.listen()
        bench.pass(1)
        bench.hear(-59)
        bench.pass(5)
        let events = bench.published()
        let second: Int64 = 1_000_000_000
        let ages: [Int64] = [0, 0, 0, 1, 1, 6, 6]
        #expect(events.map { $0.instant.nanoseconds - start } == ages.map { $0 * second })
        #expect(events.map { $0.nanosecondsSince1970 - LocationBench.Wall.ahead - start } == ages.map { $0 * second })
        #expect(events[0].secondsSince1970 == Double(start + LocationBench.Wall.ahead) / 1e9)
        #expect(events[3].instant.duration(to: events[5].instant) == .seconds(5))
    }

    @Test func `a program that ranges is notified once of a missing adapter`() {
        bench.driver.startRanging(home.constraint)
        let failure = LocationEvent.Kind.rangingDidFail(home.constraint, .absent)
        for _ in 0..<2 {
            bench.lose(.absent)
            #expect(bench.publishedKinds() == [.bluetoothStateDidUpdate(.absent), failure])
            bench.listen()
            _ = bench.publishedKinds()
        }
    }

    @Test func `a region that was inside before a restart is not announced again`() throws {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.driver.startRanging(home.constraint)
        bench.listen()
        bench.hear(-59)
        let memory = bench.driver.memory
        #expect(memory.regions.map(\.identifier) == [home.identifier], "what is ranged has no state")

        let later = LocationBench(at: bench.now + 60_000_000_000, memory: memory)
        later.driver.startMonitoring(MonitoredRegion(home))
        later.listen()
        _ = later.publishedKinds()
        later.hear(-59)
        #expect(later.publishedKinds() == [.didDetermineState(.inside, home)])
    }

    @Test func `an exit during a restart is announced`() {
        bench.driver.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        bench.listen()
        bench.hear(-59)
        let later = LocationBench(at: bench.now + 60_000_000_000, memory: bench.driver.memory)
        later.driver.startMonitoring(MonitoredRegion(home, exitAfter: .seconds(5)))
        later.listen()
        _ = later.publishedKinds()
        later.pass(40)
        #expect(later.publishedKinds() == [.didExitRegion(home), .didDetermineState(.outside, home)])
    }

    @Test func `a memory counts for the first start of a region alone`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        bench.hear(-59)
        let later = LocationBench(at: bench.now + 60_000_000_000, memory: bench.driver.memory)
        later.driver.startMonitoring(MonitoredRegion(home))
        later.driver.stopMonitoring("home")
        later.driver.startMonitoring(MonitoredRegion(home))
        later.listen()
        _ = later.publishedKinds()
        later.hear(-59)
        #expect(later.publishedKinds().first == .didEnterRegion(home, seen(-59, on: later)))
    }

    @Test func `what was learned of a beacon is known after a restart`() throws {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        for _ in 0..<300 {
            bench.hear(-59)
            bench.pass(1)
        }
        let memory = LocationMemory(bench.driver.memory, at: 0)
        let text = try JSONEncoder().encode(memory)
        let read = try JSONDecoder().decode(LocationMemory.self, from: text)
        #expect(read == memory)
        #expect(read.memory(at: 0).beacons.map(\.identity) == [LocationBench.beacon])

        func exitTime(_ memory: RegionMonitor.Memory) -> Int? {
            let later = LocationBench(at: bench.now + 60_000_000_000, memory: memory)
            later.driver.startMonitoring(MonitoredRegion(home))
            later.listen()
            later.hear(-59)
            _ = later.publishedKinds()
            return (1...60).first { _ in
                later.pass(1)
                return later.publishedKinds().contains(.didExitRegion(home))
            }
        }
        #expect(exitTime(read.memory(at: 0)) == 14, "the shortest there is, for it is heard every second")
        #expect(exitTime(.init()) == 35, "the time to begin with")
    }

    @Test func `remembered states are not valid for long`() throws {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        bench.hear(-59)
        let memory = LocationMemory(bench.driver.memory, at: 0)
        let limit = LocationMemory.validFor.components.seconds * 1_000_000_000
        #expect(memory.memory(at: limit).regions.map(\.lastKnown) == [.inside])
        #expect(memory.memory(at: limit + 1).regions.map(\.lastKnown) == [.unknown])
        #expect(memory.memory(at: -1).regions.map(\.lastKnown) == [.inside], "the clock was set back")
        for time in [Int64.min, .max] { _ = LocationMemory(bench.driver.memory, at: time).memory(at: -1 - time) }
    }

    @Test(arguments: [
        "{}", "[]", #"{"time": "soon", "presence": {"regions": [], "beacons": []}}"#, #"{"time": 1, "presence": 7}"#,
    ])
    func `what is not a memory is refused`(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LocationMemory.self, from: Data(text.utf8)) }
    }

    @Test(
        arguments: [
            (#""beacons": "nobody", "state": "inside""#, "/100/100"),
            (#""beacons": "BEACON", "state": "away""#, "/100/100"),
            (#""beacons": "BEACON", "state": "inside", "exitTime": 1e300"#, "/100/100"),
            (
                #""beacons": "BEACON", "state": "inside", "signs": [{"sign": "BEACON", "state": "inside", "exitTime": -1}]"#,
                "/100/100"
            ),
            (#""beacons": "BEACON", "state": "inside", "signs": []"#, "/100/100"),
            (#""beacons": "BEACON", "state": "inside""#, "/100/*"),
        ])
    func `a memory that was tampered with is refused as a whole`(region: String, learnedOf: String) {
        let uuid = "00000000-0000-0001-0000-000000000002"
        let text = """
            {"time": 0, "presence": {"regions": [{"identifier": "home", \(region)}], "beacons": [{"beacon": \
            "\(uuid)\(learnedOf)", "learned": 1, "minutes": [], "minutesListened": 0, "day": [], "dayListened": 0, \
            "sums": []}]}}
            """.replacing("BEACON", with: "\(uuid)/100/100")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LocationMemory.self, from: Data(text.utf8)) }
    }

    @Test func `impossible values of a memory do not trap`() throws {
        let beacon = "00000000-0000-0001-0000-000000000002/100/100"
        let text = """
            {"time": 0, "presence": {"regions": [{"identifier": "home", "beacons": "\(beacon)", "state": "inside"}], \
            "beacons": [{"beacon": "\(beacon)", "learned": 1e30, "minutes": [-1], "minutesListened": 1e30, "day": [], \
            "dayListened": 0, "sums": []}]}}
            """
        let memory = try JSONDecoder().decode(LocationMemory.self, from: Data(text.utf8)).memory(at: 0)
        #expect(memory.regions.map(\.lastKnown) == [.inside])
        let later = LocationBench(memory: memory)
        later.driver.startMonitoring(
            MonitoredRegion(BeaconRegion(identifier: "home", constraint: .minor(LocationBench.beacon.uuid, 100, 100))))
        later.listen()
        later.hear(-59)
        later.pass(36)
        #expect(later.publishedKinds().last.map { "\($0)".contains("outside") } == true)
    }

    @Test func `malformed data has no effect`() {
        bench.driver.startMonitoring(MonitoredRegion(home))
        bench.listen()
        _ = bench.publishedKinds()
        let packet = bench.packet(-59)
        for length in 0..<packet.count {
            let cut = Array(packet.prefix(length))
            _ = bench.driver.driver.scannerDidReceive(cut.span.bytes, at: bench.now)
        }
        #expect(bench.publishedKinds() == [])
    }
}
