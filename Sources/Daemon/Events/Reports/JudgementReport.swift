import IBeacon
import OkaeriPlumbing
import RegionMonitoring

/// The judgement of a region's beacon and its reasons, as in `GET /v1/regions`.
package struct JudgementReport: Codable, Sendable, Equatable {
    /// The position of its sign in the region; `nil` for a region with one sign.
    package var sign: Int?
    /// The name of the phone, without the folder and the suffix of its key file; `nil` for a beacon.
    package var phone: String?
    package var major: UInt16
    package var minor: UInt16
    /// Whether it is the one that keeps the region, or its sign, inside.
    package var keepsInside: Bool
    /// The time since the last reception, in seconds.
    package var age: Double
    /// The part of it in which the scan ran, in seconds: the silence that counts.
    package var silence: Double
    /// The silence after which it counts as gone, in seconds.
    package var exitAfter: Double
    /// The reason: `configured`, `initial` while too little is learned of the beacon, or `learned`.
    package var exitReason: String
    /// While too little is known: how many gaps were heard, and how many it takes.
    package var gaps: Int?
    package var gapsNeeded: Int?
    /// The factor by which the time is longer because the signal sinks; `nil`: it does not.
    package var prolongation: Double?
    /// The bound that holds the time: `shortest` or `longest`; nil: none.
    package var bound: String?
    /// The number of false exits in a day of listening that its longest gaps predict for this time; `nil` without gaps.
    package var falseExits: Double?
    /// The exit times by each sensitivity, in seconds.
    package var exitTimes: ExitTimes?
    /// The basis of the learned time: the longest stored gaps; `nil` without any.
    package var tail: Tail?
    /// The time between two advertisements in seconds; nil before enough is learned.
    package var advertisingInterval: Double?
    /// The part of the advertisements that is not received, from 0 to 1; `nil` before enough is learned.
    package var loss: Double?
    /// The last RSSI and the filtered signal in dBm; `nil` if the controller has no value.
    package var rssi: Int8?
    package var signal: Double?
    /// The beacon's own value of its RSSI at one metre, in dBm; `nil` if it advertises none.
    package var claimedPower: Int8?
    /// The radios that have received it, with their own exit times; `nil` if this machine's own one alone has.
    package var radios: [Radio]?
    /// The estimated distance in metres, -1 when it is not known.
    package var accuracy: Double
    /// immediate, near, far or unknown.
    package var proximity: String
    /// The number of devices that send this identity; `nil` for one.
    package var transmitters: Int?
    /// The mask that a region of the beacon needs, because its identity changes; `nil` if it does not.
    package var proposedMask: MaskReport?

    /// By each sensitivity, in seconds.
    package struct ExitTimes: Codable, Sendable, Equatable {
        package var quick: Double
        package var balanced: Double
        package var patient: Double
    }

    /// The longest gaps that are remembered. Times in seconds.
    package struct Tail: Codable, Sendable, Equatable {
        /// The memory: `day` or `minutes`.
        package var memory: String
        /// The number of gaps, weighted by their age, and the minimum length of each.
        package var gaps: Double
        package var start: Double
        /// The length of the longest of them, within a tenth.
        package var longest: Double
        /// The listening time in which they occurred, weighted by its age.
        package var listened: Double
    }
}

extension JudgementReport {
    /// One of several radios that have received a beacon.
    package struct Radio: Codable, Sendable, Equatable {
        /// Its name; empty for this machine's own one.
        package var name: String
        /// Whether it received the beacon lately, and decides.
        package var decides: Bool
        /// Whether it does not listen.
        package var away: Bool
        /// The silence at this radio after which the beacon counts as gone if others are away, in seconds.
        package var exitAfter: Double
        /// The filtered signal in dBm.
        package var signal: Double?
        /// Whether it received the beacon last, which keeps the region inside.
        package var latest: Bool

        init(_ radio: RegionMonitor.RadioJudgement) {
            latest = radio.isLatest
            (name, decides, away) = (radio.name, radio.decides, radio.isAway)
            exitAfter = radio.exitTime.seconds(digits: 1)
            signal = radio.signal?.rounded(digits: 1)
        }
    }

    /// - Parameter now: the clock that the judgement's instants are on.
    init(_ judgement: RegionMonitor.Judgement, now: Instant) {
        let beacon = judgement.beacon
        major = beacon.identity.major
        minor = beacon.identity.minor
        keepsInside = judgement.keepsInside
        age = max(.zero, beacon.lastHeard.duration(to: now)).seconds(digits: 3)
        silence = judgement.silence.seconds(digits: 3)
        exitAfter = judgement.exit.time.seconds(digits: 1)
        switch judgement.exit.basis {
        case .configured:
            exitReason = "configured"
        case .initial(let gaps, let needed):
            exitReason = "initial"
            (self.gaps, gapsNeeded) = (gaps, needed)
        case .learned:
            exitReason = "learned"
        }
        prolongation = judgement.exit.prolongation > 1 ? judgement.exit.prolongation.rounded(digits: 2) : nil
        bound = judgement.exit.bound?.rawValue
        falseExits = judgement.exit.falseExits?.rounded(digits: 3)
        let times = judgement.exitTimes
        exitTimes = ExitTimes(
            quick: times.quick.seconds(digits: 1), balanced: times.balanced.seconds(digits: 1),
            patient: times.patient.seconds(digits: 1))
        if let found = judgement.exit.tail, let memory = judgement.exit.memory {
            tail = Tail(
                memory: memory.rawValue, gaps: found.gaps.rounded(digits: 1), start: found.start.seconds(digits: 2),
                longest: found.longest.seconds(digits: 2), listened: found.listened.seconds(digits: 0))
        }
        advertisingInterval = judgement.advertising?.interval.seconds(digits: 3)
        loss = judgement.advertising?.loss.rounded(digits: 2)
        radios = judgement.radios.isEmpty ? nil : judgement.radios.map(Radio.init)
        rssi = beacon.rssi
        signal = beacon.signal?.rounded(digits: 1)
        claimedPower = beacon.measuredPower
        accuracy = beacon.accuracy.metres
        proximity = Proximity(accuracy: beacon.accuracy).rawValue
        transmitters = beacon.transmitters > 1 ? beacon.transmitters : nil
        proposedMask = beacon.proposedMask.map { MaskReport($0) }
    }
}

extension JudgementReport {
    /// Whether the learned time would be longer than the longest there is: then exits are often false.
    package var isHeldAtLongest: Bool { exitReason == "learned" && bound == "longest" && phone == nil }
}
