import HCI
import IBeacon
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// The messages of one receiver, by the hub's clock. The receiver's clock began 5000 seconds before the hub's.
@Suite struct HeardStreamTests {
    private static let ahead = 5000.0
    private var stream = HeardStream(at: 0)

    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }

    /// A beacon was received at those seconds of the hub's clock.
    private static func message(
        _ number: UInt64, _ from: Double, _ until: Double, receptions: [Double] = [], share: Double = 1,
        hasTime: Bool = true
    ) throws -> HeardMessage {
        let identity = BeaconIdentity(uuid: try #require(BeaconUUID(HouseBench.uuid)), major: 1, minor: 1)
        let samples = receptions.map { HeardMessage.Sample(rssi: -60, age: until - $0) }
        return HeardMessage(
            number: number, span: hasTime ? from + ahead...until + ahead : nil, share: share, others: 3,
            entries: samples.isEmpty ? [] : [.init(sender: .beacon(identity, measuredPower: -59), samples: samples)])
    }

    /// A message arrives; the times of the result are in seconds.
    @discardableResult
    private mutating func receive(_ message: HeardMessage, at now: Double) -> (Double, Double, receptions: [Double]) {
        let report = stream.received(message, at: Self.nanoseconds(now))
        return (
            Double(report.from.nanoseconds) / 1e9, Double(report.until.nanoseconds) / 1e9,
            report.receptions.map { Double($0.time.nanoseconds) / 1e9 }
        )
    }

    private func isNear(_ one: Double, _ other: Double, _ tolerance: Double = 0.002) -> Bool {
        abs(one - other) < tolerance
    }

    @Test mutating func `Successive messages cover the time without gaps, and receptions have their times`() throws {
        var until: Double?
        for second in 1...20 {
            let end = Double(second)
            let result = try receive(
                Self.message(UInt64(second), end - 1, end, receptions: [end - 0.9, end - 0.25]), at: end + 0.05)
            if let until { #expect(result.0 == until) }
            until = result.1
            // The usual delay of 50 ms cannot be distinguished from the clocks' distance.
            #expect(isNear(result.1, end + 0.05))
            #expect(result.receptions.count == 2)
            #expect(isNear(result.receptions[0], end - 0.85) && isNear(result.receptions[1], end - 0.2))
        }
        #expect(stream.lost == 0 && stream.late == 0)
        #expect(isNear(stream.rate.value(at: Self.nanoseconds(20)), 2, 0.2) && isNear(stream.share, 1, 0.01))
    }

    @Test mutating func `The time of a lost message is not listening time`() throws {
        try receive(Self.message(1, 0, 1), at: 1)
        try receive(Self.message(2, 1, 2), at: 2)
        let result = try receive(Self.message(5, 4, 5, receptions: [4.5]), at: 5)
        #expect(isNear(result.0, 4) && isNear(result.1, 5) && isNear(result.receptions[0], 4.5))
        #expect(stream.lost == 2)
        // Without times, all that is known is that it arrived now.
        var other = HeardStream(at: 0)
        _ = other.received(try Self.message(1, 0, 1, hasTime: false), at: Self.nanoseconds(1))
        let report = other.received(try Self.message(3, 2, 3, hasTime: false), at: Self.nanoseconds(3))
        #expect(report.from == report.until)
        #expect(other.lost == 1)
    }

    @Test mutating func `A delayed message is placed at its time, and counts as late`() throws {
        for second in 1...10 {
            try receive(Self.message(UInt64(second), Double(second) - 1, Double(second)), at: Double(second))
        }
        let late = try receive(Self.message(11, 10, 11, receptions: [10.1, 10.9]), at: 13.5)
        #expect(isNear(late.0, 10) && isNear(late.1, 11, 0.01))
        #expect(isNear(late.receptions[0], 10.1, 0.01) && isNear(late.receptions[1], 10.9, 0.01))
        #expect(stream.late == 1)
        // The next two arrive with it.
        for second in [12.0, 13] {
            let next = try receive(Self.message(UInt64(second), second - 1, second, receptions: [second]), at: 13.5)
            #expect(isNear(next.1, second, 0.01) && isNear(next.receptions[0], second, 0.01))
        }
        #expect(stream.late == 1 && stream.lost == 0)
    }

    @Test mutating func `A delay that lasts becomes the usual one, and a faster clock is followed`() throws {
        for second in 1...10 {
            try receive(Self.message(UInt64(second), Double(second) - 1, Double(second)), at: Double(second))
        }
        // The receiver's clock runs 100 ppm slow: the distance grows by 0.1 ms a second.
        var last = 0.0
        for second in 11...20_000 where second % 5 == 0 {
            let real = Double(second) * 1.0001
            last = try receive(Self.message(UInt64(second), Double(second) - 5, Double(second)), at: real).1 - real
        }
        #expect(isNear(last, 0, 0.05))
        #expect(stream.late == 0)
    }

    @Test mutating func `A clock that stood still is read from there after two minutes at most`() throws {
        for second in 1...100 {
            try receive(Self.message(UInt64(second), Double(second) - 1, Double(second)), at: Double(second))
        }
        var last = 0.0
        for second in 101...230 {
            let real = Double(second) + 30
            last = try receive(Self.message(UInt64(second), Double(second) - 1, Double(second)), at: real).1 - real
        }
        #expect(isNear(last, 0, 0.05))
        #expect(1...120 ~= stream.late)
    }

    @Test mutating func `A receiver that starts again, with its clock or its machine, is read from there`() throws {
        for second in 1...10 {
            try receive(Self.message(UInt64(second), Double(second) - 1, Double(second)), at: Double(second))
        }
        let daemon = try receive(Self.message(1, 14, 15, receptions: [14.5]), at: 15)
        #expect(isNear(daemon.0, 14) && isNear(daemon.1, 15) && isNear(daemon.receptions[0], 14.5))
        // The machine's clock begins at zero.
        var message = try Self.message(1, 60, 61, receptions: [60.5])
        message.span = 20...21
        let machine = receive(message, at: 61)
        #expect(isNear(machine.0, 60) && isNear(machine.1, 61) && isNear(machine.receptions[0], 60.5))
        #expect(stream.lost == 0 && stream.late == 0)
    }

    @Test mutating func `A receiver without times is read by the arrival of its messages`() throws {
        try receive(Self.message(1, 0, 1, receptions: [0.5], hasTime: false), at: 1)
        let result = try receive(Self.message(2, 1, 2, receptions: [1.25, 1.75], hasTime: false), at: 2.1)
        #expect(isNear(result.0, 1) && isNear(result.1, 2.1))
        #expect(isNear(result.receptions[0], 1.35) && isNear(result.receptions[1], 1.85))
        #expect(stream.late == 0)
    }

    @Test mutating func `Receptions that are older than a minute are left out, others lie within their message`() throws
    {
        try receive(Self.message(1, 0, 1), at: 1)
        var message = try Self.message(2, 1, 2, receptions: [1.5, 0])
        message.entries[0].samples += [.init(rssi: -60, age: 61), .init(rssi: -60, age: 1e300)]
        let result = receive(message, at: 2)
        #expect(result.receptions.count == 2)
        #expect(result.receptions.allSatisfy { result.0...result.1 ~= $0 })
        #expect(result.receptions == result.receptions.sorted())
    }

    @Test mutating func `Hostile numbers and times neither trap nor lead to the future`() throws {
        let numbers: [UInt64] = [1, .max, .max, 0, .max - 1, .max, 5]
        let spans: [ClosedRange<Double>?] = [0...0, 0...3.1e9, 3.1e9...3.1e9, nil, 1...2, 0...1e-9]
        for (step, number) in numbers.enumerated() {
            for span in spans {
                var message = try Self.message(number, 0, 1, receptions: [0, 0.5])
                message.span = span
                let now = Double(step) * 10 + 70
                let result = receive(message, at: now)
                #expect(result.0 <= result.1 && result.1 <= now && now - result.0 <= 61 + now)
                #expect(result.1 - result.0 <= 60.001, "one message reports of a minute at most")
                #expect(result.receptions.allSatisfy { result.0...result.1 ~= $0 })
            }
        }
        for now in [Int64.max, .min, 0] {
            _ = stream.received(try Self.message(1, 0, 1, receptions: [0.5]), at: now)
        }
    }

    @Test mutating func `A receiver without a message for 15 seconds is away until the next one`() throws {
        try receive(Self.message(1, 0, 1), at: 1)
        #expect(stream.awayAt == Self.nanoseconds(16))
        stream.becameAway()
        #expect(stream.isAway && stream.awayAt == nil)
        let result = try receive(Self.message(2, 1, 2), at: 40)
        #expect(!stream.isAway && stream.awayAt == Self.nanoseconds(55))
        #expect(isNear(result.1 - result.0, 1, 0.02), "the time between is not listening time")
    }

    @Test mutating func `The rate follows the receptions of the last half minute`() throws {
        for second in 1...100 {
            let receptions = second <= 60 ? [Double(second) - 0.9, Double(second) - 0.4] : []
            try receive(
                Self.message(UInt64(second), Double(second - 1), Double(second), receptions: receptions),
                at: Double(second))
        }
        #expect(stream.rate.value(at: Self.nanoseconds(100)) < 0.6)
        #expect(stream.rate.value(at: Self.nanoseconds(400)) < 0.001)
    }

    @Test func `More than ten messages a second are not read, but for those of a link that stood still`() {
        var (admission, read) = (HeardAdmission(), 0)
        for message in 0..<800 where admission.admits(at: Self.nanoseconds(Double(message) / 80)) { read += 1 }
        #expect(read >= 140 && read <= 155)
        // A link that stood still for eight seconds delivers at once.
        var late = 0
        for _ in 0..<40 where admission.admits(at: Self.nanoseconds(60)) { late += 1 }
        #expect(late == 40)
    }
}
