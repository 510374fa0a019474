import OkaeriPlumbing

/// A ``JoinPrompter``'s memory for the next one: no question twice in a visit, unanswered ones again.
package struct PromptMemory: PersistedMemory, Hashable {
    /// A network that was arrived at.
    package struct Visit: Codable, Hashable, Sendable {
        package var ssid: String

        /// The regions that are inside, in the order of their arrival; none after all were left.
        package var regions: [String]

        /// The number of the arrival at the network, counted from 1.
        package var arrival: Int

        /// Whether this arrival is done with: answered, joined, or not to be asked about.
        package var isSettled: Bool

        /// The prompt that waits for an answer, by what the answer names it.
        package var prompt: String?

        /// The time since the last prompt, in seconds.
        package var sinceLastOffer: Double?

        /// Whether it was joined without a question, and is joined again if the connection is lost; `nil` if not.
        package var isHeld: Bool?

        /// Whether `regions` was left and what a departure does is not done yet; `nil` if not.
        package var isDeparting: Bool?

        /// The time since the last action of a departure, or the question about it, in seconds.
        package var sinceLastDeparture: Double?

        package init(
            ssid: String, regions: [String], arrival: Int, isSettled: Bool, prompt: String? = nil,
            sinceLastOffer: Double? = nil, isHeld: Bool? = nil, isDeparting: Bool? = nil,
            sinceLastDeparture: Double? = nil
        ) {
            self.ssid = ssid
            self.regions = regions
            self.arrival = arrival
            self.isSettled = isSettled
            self.prompt = prompt
            self.sinceLastOffer = sinceLastOffer
            self.isHeld = isHeld
            self.isDeparting = isDeparting
            self.sinceLastDeparture = sinceLastDeparture
        }
    }

    package struct Prompts: Codable, Hashable, Sendable {
        /// The networks whose prompt was answered with never.
        package var never: [String]
        /// The number of the next prompt.
        package var next: Int
        package var visits: [Visit]
        /// The networks that were asked about while another connection worked; `nil` for none.
        package var askedWhileOnline: [String]?
    }

    package var prompts: Prompts

    package init(
        refused: Set<SSID> = [], nextPrompt: Int = 1, visits: [Visit] = [], askedWhileOnline: Set<SSID> = []
    ) {
        prompts = Prompts(
            never: refused.sorted().map(\.text), next: nextPrompt, visits: visits,
            askedWhileOnline: askedWhileOnline.isEmpty ? nil : askedWhileOnline.sorted().map(\.text))
    }

    package var content: PromptMemory {
        var content = self
        for index in prompts.visits.indices {
            (content.prompts.visits[index].sinceLastOffer, content.prompts.visits[index].sinceLastDeparture) = (
                nil, nil
            )
        }
        return content
    }

    private enum CodingKeys: String, CodingKey {
        case prompts
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        prompts = try members.decode(Prompts.self, forKey: .prompts)
        guard
            prompts.visits.allSatisfy({
                KeptDuration.isCredible($0.sinceLastOffer) && KeptDuration.isCredible($0.sinceLastDeparture)
            })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .prompts, in: members, debugDescription: "the age of a prompt is not a duration")
        }
    }
}
