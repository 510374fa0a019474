import IBeacon
import RegionMonitoring
import WiFi

extension KeptState {
    /// No duration that is kept is longer, in seconds.
    private static let credible = 0...1e9

    init(
        _ regions: RegionMonitor.Memory, _ prompts: PromptMemory, _ peripherals: [Peripheral] = [], written: StateStamp
    ) {
        self.written = written
        self.peripherals = peripherals.isEmpty ? nil : peripherals
        self.regions = regions.regions.map { known in
            Region(
                identifier: known.region.identifier, beacons: known.region.constraint.description,
                state: known.lastKnown.rawValue, exitTime: known.learnedExitTime.map { ($0 / .seconds(1)).rounded() })
        }
        beacons = regions.beacons.map(Beacon.init)
        self.prompts = Prompts(
            never: prompts.refused.sorted(), next: prompts.nextPrompt,
            visits: prompts.visits.map { visit in
                Visit(
                    ssid: visit.ssid, regions: visit.regions, arrival: visit.arrival, isSettled: visit.isSettled,
                    prompt: visit.prompt, sinceLastOffer: visit.sinceLastOffer.map { ($0 / .seconds(1)).rounded() })
            })
    }

    /// What the region monitor goes on from.
    ///
    /// - Parameter isStale: whether too much time has passed to know where anybody is. What was learned stays true.
    func regionMemory(isStale: Bool) throws(StateFileError) -> RegionMonitor.Memory {
        var memory = RegionMonitor.Memory()
        for region in regions {
            guard let constraint = BeaconConstraint(region.beacons), let state = RegionState(rawValue: region.state)
            else { throw .damaged("the region \"\(region.identifier)\" is none") }
            memory.regions.append(
                .init(
                    region: BeaconRegion(identifier: region.identifier, constraint: constraint),
                    lastKnown: isStale ? .unknown : state, learnedExitTime: try Self.duration(region.exitTime)))
        }
        for beacon in beacons {
            guard case .minor(let uuid, let major, let minor) = BeaconConstraint(beacon.beacon) else {
                throw .damaged("\"\(beacon.beacon)\" is no beacon")
            }
            guard let silences = beacon.silences else {
                throw .damaged("what was learned of \(beacon.beacon) is nothing")
            }
            memory.beacons.append(
                .init(identity: BeaconIdentity(uuid: uuid, major: major, minor: minor), silences: silences))
        }
        return memory
    }

    /// What the prompter goes on from.
    ///
    /// - Parameter age: how long ago it was written, if that is known.
    func promptMemory(age: Duration?) throws(StateFileError) -> PromptMemory {
        var memory = PromptMemory(refused: Set(prompts.never), nextPrompt: prompts.next)
        for visit in prompts.visits {
            let since = try Self.duration(visit.sinceLastOffer)
            memory.visits.append(
                PromptMemory.Visit(
                    ssid: visit.ssid, regions: visit.regions, arrival: visit.arrival, isSettled: visit.isSettled,
                    prompt: visit.prompt, sinceLastOffer: since.map { $0 + (age ?? .zero) }))
        }
        return memory
    }

    private static func duration(_ seconds: Double?) throws(StateFileError) -> Duration? {
        guard let seconds else { return nil }
        guard credible.contains(seconds) else { throw .damaged("\(seconds) seconds are no duration") }
        return .seconds(seconds)
    }
}

extension KeptState.Beacon {
    init(_ known: RegionMonitor.Memory.Beacon) {
        let (silences, identity) = (known.silences, known.identity)
        beacon = BeaconConstraint.minor(identity.uuid, identity.major, identity.minor).description
        learned = silences.learned.hundredths
        (minutes, minutesListened) = (silences.minutes.counts.trimmed, silences.minutes.listened.hundredths)
        (day, dayListened) = (silences.day.counts.trimmed, silences.day.listened.hundredths)
        sums = silences.sums.trimmed
    }

    /// What was learned; nil where it is in no form that there ever was.
    var silences: LearnedSilences? {
        if let minutes, let minutesListened, let day, let dayListened {
            return LearnedSilences(
                minutes: .init(counts: minutes, listened: minutesListened),
                day: .init(counts: day, listened: dayListened), sums: sums, learned: learned)
        }
        return counts.flatMap { LearnedSilences(counts: $0, sums: sums, learned: learned) }
    }
}

extension [Float] {
    /// Without the zeros at the end, to the second decimal.
    fileprivate var trimmed: [Float] {
        let rounded = map(\.hundredths)
        return Array(rounded.prefix((rounded.lastIndex { $0 != 0 } ?? -1) + 1))
    }
}

extension Float {
    /// To the second decimal: a file that is written for years need not hold more.
    fileprivate var hundredths: Float { isFinite ? (self * 100).rounded() / 100 : 0 }
}
