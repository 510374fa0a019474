/// The values that centrals are reading in pieces, so that all pieces are of the same one.
struct LongReads: Sendable {
    private struct Reading {
        let value: [UInt8]
        var lastAsked: ContinuousClock.Instant
    }

    /// A central that has sent no request for this time does not continue (Core Specification, Vol 3, Part F, 3.3.3).
    static let timeout = Duration.seconds(30)

    /// So many at once; a further one takes the place of that which was asked for least recently.
    static let capacity = 32

    /// By the identifier of the central.
    private var readings: [String: Reading] = [:]

    mutating func begin(_ central: String, _ value: [UInt8], at now: ContinuousClock.Instant) {
        if readings[central] == nil, readings.count >= Self.capacity,
            let oldest = readings.min(by: { $0.value.lastAsked < $1.value.lastAsked })
        {
            readings[oldest.key] = nil
        }
        readings[central] = Reading(value: value, lastAsked: now)
    }

    /// The value that the central is reading, for the next piece; nil where no reading is under way.
    mutating func value(_ central: String, at now: ContinuousClock.Instant) -> [UInt8]? {
        guard let reading = readings[central], reading.lastAsked.duration(to: now) < Self.timeout else {
            readings[central] = nil
            return nil
        }
        readings[central]?.lastAsked = now
        return reading.value
    }
}
