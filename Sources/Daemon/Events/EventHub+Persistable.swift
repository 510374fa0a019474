package import OkaeriPlumbing

/// The number of events, in its stored form.
package struct EventsMemory: PersistedMemory {
    /// Of the latest event; nil in a file from before they were counted.
    package var sequence: UInt64?

    /// A number is worth no write of its own.
    package var content: EventsMemory { EventsMemory(sequence: nil) }

    package init(sequence: UInt64?) {
        self.sequence = sequence
    }

    private enum CodingKeys: String, CodingKey {
        case sequence
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        sequence = try members.decodeIfPresent(UInt64.self, forKey: .sequence)
        // The other half is for those that are yet to come.
        guard sequence ?? 0 <= Event.largestSequence / 2 else {
            throw DecodingError.dataCorruptedError(
                forKey: .sequence, in: members, debugDescription: "the number of the last event is not valid")
        }
    }
}

extension EventHub: Persistable {
    /// More events than there can be between two writes of the state: no number is given twice.
    private static let margin: UInt64 = 10_000

    package var memory: EventsMemory { EventsMemory(sequence: sequence) }

    package func restore(_ memory: EventsMemory, from past: PersistedPast) {
        if let sequence = memory.sequence { resume(after: sequence + Self.margin) }
    }
}
