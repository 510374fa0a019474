import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// The proof of silence, and its longest length.
@Suite struct RadioLivenessTests {
    private var liveness = RadioLiveness(quietPeriod: .seconds(10))

    private func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: nanoseconds(seconds)) }

    /// The suspicion begins now.
    private mutating func expectSuspicion(at now: Instant, sourceLocation: SourceLocation = #_sourceLocation) {
        let begins = liveness.suspected(at: now)
        #expect(begins, sourceLocation: sourceLocation)
    }

    /// No suspicion begins now.
    private mutating func expectTrust(at now: Instant, sourceLocation: SourceLocation = #_sourceLocation) {
        let begins = liveness.suspected(at: now)
        #expect(!begins, sourceLocation: sourceLocation)
    }

    /// Another device is received at each of these seconds.
    private mutating func receive(_ seconds: StrideThrough<Double>) {
        for second in seconds {
            liveness.reportReceived(at: instant(second))
            liveness.otherDeviceHeard(at: instant(second))
        }
    }

    @Test mutating func `silence is normal until a minute was surveyed with no region inside`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 59, by: 1))
        #expect(liveness.silenceLimit == nil)
        receive(stride(from: 60, through: 60, by: 1))
        #expect(liveness.silenceLimit == .seconds(10))
    }

    @Test(arguments: [true, false])
    mutating func `a restart of the scan with another timing does not end a silence`(_ isRetimed: Bool) {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 64, by: 1))
        #expect(liveness.silenceLimit == .seconds(10))
        liveness.listeningChanged(nil, at: instant(70))
        liveness.listeningChanged(1, isRetimed: isRetimed, at: instant(71))
        // The silence of 10 s, without the pause; another restart begins it anew.
        expectTrust(at: instant(74.9))
        if isRetimed { expectSuspicion(at: instant(75)) } else { expectTrust(at: instant(80.9)) }
    }

    @Test mutating func `the limit is three times the longest silence, and bounded by the exit time`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 64, by: 4))
        #expect(liveness.silenceLimit == .seconds(12))
        liveness.determined(.inside, region: "home", at: instant(64))
        receive(stride(from: 65, through: 110, by: 1))
        expectTrust(at: instant(121.9))
        #expect(liveness.suspectAt == instant(122))
        expectSuspicion(at: instant(122))
        #expect(!liveness.isCertain(at: instant(122)))
    }

    @Test(arguments: [(5, 13.333333333), (8, 13.333333333), (9, nil)] as [(Double, Double?)])
    mutating func `where silences are long beside the exit time, silence is normal`(longest: Double, limit: Double?) {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 90, by: longest))
        #expect(liveness.silenceLimit == limit.map { .nanoseconds(nanoseconds($0)) })
    }

    @Test mutating func `reports that become fewer before they end are a departure and no fault`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        liveness.determined(.inside, region: "home", at: instant(60))
        receive(stride(from: 60, through: 100, by: 0.25))
        receive(stride(from: 102, through: 112, by: 5))
        expectTrust(at: instant(130))
        #expect(liveness.silenceLimit == nil)
        #expect(liveness.suspectAt == nil)
        liveness.controllerHeard(at: instant(130))
        #expect(liveness.isCertain(at: instant(130)))
        // The next report ends that silence.
        receive(stride(from: 200, through: 260, by: 0.25))
        expectSuspicion(at: instant(270))
    }

    @Test mutating func `a silence that ends without a repair is usual from then on`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        liveness.determined(.inside, region: "home", at: instant(60))
        receive(stride(from: 61, through: 100, by: 1))
        expectSuspicion(at: instant(110))
        receive(stride(from: 120, through: 125, by: 1))
        #expect(liveness.silenceLimit == nil)
    }

    @Test mutating func `a suspicion without a decision of the scanner ends after two minutes`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        expectSuspicion(at: instant(70))
        // Another program interrupts the scan all the time.
        for second in stride(from: 75.0, to: 190, by: 5) {
            liveness.listeningChanged(nil, at: instant(second))
            liveness.listeningChanged(1, at: instant(second))
            let hasExpired = liveness.suspicionExpired(at: instant(second))
            #expect(!hasExpired)
        }
        #expect(liveness.suspicionExpiry == instant(190))
        let expired = (liveness.suspicionExpired(at: instant(190)), liveness.suspicionExpired(at: instant(191)))
        #expect(expired == (true, false))
    }

    @Test mutating func `one silence of ten seconds makes silence normal`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 40, by: 1))
        receive(stride(from: 50, through: 100, by: 1))
        #expect(liveness.silenceLimit == nil)
    }

    @Test mutating func `nothing is surveyed while a region is inside or the scan is off`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 30, by: 1))
        liveness.determined(.inside, region: "home", at: instant(30))
        receive(stride(from: 30, through: 100, by: 1))
        #expect(liveness.silenceLimit == nil)
        liveness.determined(.outside, region: "home", at: instant(100))
        liveness.listeningChanged(nil, at: instant(100))
        liveness.listeningChanged(1, at: instant(200))
        // These thirty seconds and the first ones make a minute.
        receive(stride(from: 200, through: 229, by: 1))
        #expect(liveness.silenceLimit == nil)
        receive(stride(from: 230, through: 230, by: 1))
        #expect(liveness.silenceLimit == .seconds(10))
    }

    @Test mutating func `a survey that is too short leaves the result of the one before`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 90, by: 5))
        liveness.determined(.inside, region: "home", at: instant(90))
        liveness.determined(.outside, region: "home", at: instant(100))
        receive(stride(from: 100, through: 130, by: 1))
        #expect(liveness.silenceLimit == .nanoseconds(13_333_333_333))
        receive(stride(from: 131, through: 160, by: 1))
        #expect(liveness.silenceLimit == .seconds(10))
    }

    @Test mutating func `the silence of a suspected controller is not surveyed, and a report ends the suspicion`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        expectSuspicion(at: instant(70))
        // A power cycle proves nothing.
        liveness.listeningChanged(nil, at: instant(90))
        liveness.listeningChanged(1, at: instant(91))
        #expect(!liveness.isCertain(at: instant(91)))
        // Other devices need time to advertise.
        let endedAtOnce = liveness.reportReceived(at: instant(95))
        #expect(!endedAtOnce)
        #expect(!liveness.isCertain(at: instant(98)))
        let ended = liveness.reportReceived(at: instant(99))
        #expect(ended)
        #expect(liveness.isCertain(at: instant(99)))
        #expect(liveness.silenceLimit == .seconds(10))
    }

    /// A report every 2.5 s of each of two devices with half of the air: too few in 16 s, enough in 32 s.
    @Test(arguments: [0.5, 1])
    mutating func `with half of the air a number of reports counts for twice of them`(_ share: Double) {
        liveness.listeningChanged(share, at: instant(0))
        receive(stride(from: 0, through: 90, by: 2.5))
        if share < 1 { expectSuspicion(at: instant(105)) } else { expectTrust(at: instant(105)) }
    }

    @Test mutating func `interruptions of the scan do not end a silence`() {
        liveness.listeningChanged(1, at: instant(0))
        for second in stride(from: 5.0, through: 200, by: 5) {
            liveness.listeningChanged(nil, at: instant(second))
            liveness.listeningChanged(1, at: instant(second))
        }
        #expect(liveness.silenceLimit == nil)
        receive(stride(from: 200, through: 260, by: 1))
        #expect(liveness.silenceLimit == nil)
    }

    @Test mutating func `a survey in which nothing was received makes silence normal`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 40, by: 1))
        liveness.determined(.inside, region: "home", at: instant(100))
        #expect(liveness.silenceLimit == nil)
    }

    @Test mutating func `after a wrong expectation a day is surveyed before the next one`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        expectSuspicion(at: instant(70))
        liveness.adapterLost()
        receive(stride(from: 1000, through: 1004 + 86_000, by: 5))
        #expect(liveness.silenceLimit == nil)
        receive(stride(from: 87_005, through: 87_500, by: 5))
        #expect(liveness.silenceLimit == .nanoseconds(13_333_333_333))
        // And two days after the next one.
        receive(stride(from: 87_501, through: 87_600, by: 1))
        expectSuspicion(at: instant(87_620))
        liveness.adapterLost()
        receive(stride(from: 88_000, through: 260_000, by: 5))
        #expect(liveness.silenceLimit == nil)
        receive(stride(from: 260_005, through: 262_000, by: 5))
        #expect(liveness.silenceLimit == .nanoseconds(13_333_333_333))
    }

    @Test mutating func `a pause of the scan makes no suspicion`() {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        liveness.listeningChanged(nil, at: instant(61))
        expectTrust(at: instant(100))
        liveness.listeningChanged(1, at: instant(120))
        expectTrust(at: instant(129))
        expectSuspicion(at: instant(130))
    }

    @Test(arguments: [false, true])
    mutating func `the expectation ends with the recovery if the adapter was lost for the silence`(isLost: Bool) {
        liveness.listeningChanged(1, at: instant(0))
        receive(stride(from: 0, through: 60, by: 1))
        expectSuspicion(at: instant(70))
        if isLost { liveness.adapterLost() }
        liveness.listeningChanged(nil, at: instant(490))
        liveness.listeningChanged(1, at: instant(491))
        #expect(liveness.silenceLimit == .seconds(10))
        liveness.reportReceived(at: instant(500))
        liveness.reportReceived(at: instant(504))
        #expect(liveness.silenceLimit == (isLost ? nil : .seconds(10)))
    }

    @Test mutating func `the answers a scanner gets are enough in a silence of any length`() {
        liveness.reportReceived(at: instant(0))
        var probe = 10.0
        var interval = 10.0
        for second in 1...5000 {
            if Double(second) >= probe {
                liveness.controllerHeard(at: instant(Double(second)))
                interval = min(interval * 2, 120)
                probe += interval
            }
            #expect(liveness.isCertain(at: instant(Double(second))), "\(second) s")
        }
        liveness.reportReceived(at: instant(6000))
        #expect(liveness.isCertain(at: instant(6010)))
        #expect(!liveness.isCertain(at: instant(6011)))
    }

    @Test func `the quiet period is well below the shortest exit time`() {
        #expect(RadioLiveness.quietPeriod(for: []) == .seconds(10))
        #expect(RadioLiveness.quietPeriod(for: [monitored(30)]) == .seconds(10))
        #expect(RadioLiveness.quietPeriod(for: [monitored(30), monitored(5)]) == .seconds(2.5))
    }
}
