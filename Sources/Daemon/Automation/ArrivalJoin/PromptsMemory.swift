import Plumbing
package import WiFi

/// The prompts and their answers, as they are kept.
package struct PromptsMemory: PersistedMemory {
    package var prompts: Prompts

    package struct Prompts: Codable, Equatable, Sendable {
        /// The networks whose prompt was answered with never.
        package var never: [String]
        /// The number of the next prompt.
        package var next: Int
        package var visits: [Visit]
    }

    /// A network that was arrived at.
    package struct Visit: Codable, Equatable, Sendable {
        package var ssid: String
        package var regions: [String]
        package var arrival: Int
        package var isSettled: Bool
        package var prompt: String?
        /// The time since the last prompt, in seconds.
        package var sinceLastOffer: Double?
    }

    package var content: PromptsMemory {
        var content = self
        for index in prompts.visits.indices { content.prompts.visits[index].sinceLastOffer = nil }
        return content
    }

    package init(_ memory: PromptMemory) {
        prompts = Prompts(
            never: memory.refused.sorted().map(\.text), next: memory.nextPrompt,
            visits: memory.visits.map { visit in
                Visit(
                    ssid: visit.ssid, regions: visit.regions, arrival: visit.arrival, isSettled: visit.isSettled,
                    prompt: visit.prompt, sinceLastOffer: visit.sinceLastOffer.map { ($0 / .seconds(1)).rounded() })
            })
    }

    private enum CodingKeys: String, CodingKey {
        case prompts
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        prompts = try members.decode(Prompts.self, forKey: .prompts)
        guard prompts.visits.allSatisfy({ KeptDuration.isCredible($0.sinceLastOffer) }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .prompts, in: members, debugDescription: "the age of a prompt is no duration")
        }
    }

    /// Returns the memory from which the prompter goes on.
    ///
    /// - Parameter age: The time since this was written, if it is known.
    package func prompterMemory(age: Duration?) -> PromptMemory {
        PromptMemory(
            refused: Set(prompts.never.map { SSID($0) }), nextPrompt: prompts.next,
            visits: prompts.visits.map { visit in
                PromptMemory.Visit(
                    ssid: visit.ssid, regions: visit.regions, arrival: visit.arrival, isSettled: visit.isSettled,
                    prompt: visit.prompt,
                    sinceLastOffer: visit.sinceLastOffer.map { .seconds($0) + (age ?? .zero) })
            })
    }
}
