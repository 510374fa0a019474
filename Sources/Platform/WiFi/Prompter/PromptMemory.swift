/// A ``JoinPrompter``'s memory for the next one: no question twice in a visit, unanswered ones again.
public struct PromptMemory: Hashable, Sendable {
    /// A network that was arrived at.
    public struct Visit: Hashable, Sendable {
        public var ssid: String

        /// The regions that are inside, in the order of their arrival; none after all were left.
        public var regions: [String]

        /// The number of the arrival at the network, counted from 1.
        public var arrival: Int

        /// Whether this arrival is done with: answered, joined, or not to be asked about.
        public var isSettled: Bool

        /// The prompt that waits for an answer, by what the answer names it.
        public var prompt: String?

        public var sinceLastOffer: Duration?

        public init(
            ssid: String, regions: [String], arrival: Int, isSettled: Bool, prompt: String? = nil,
            sinceLastOffer: Duration? = nil
        ) {
            self.ssid = ssid
            self.regions = regions
            self.arrival = arrival
            self.isSettled = isSettled
            self.prompt = prompt
            self.sinceLastOffer = sinceLastOffer
        }
    }

    /// The networks whose prompt was answered with never.
    public var refused: Set<SSID>

    public var nextPrompt: Int

    public var visits: [Visit]

    public init(refused: Set<SSID> = [], nextPrompt: Int = 1, visits: [Visit] = []) {
        self.refused = refused
        self.nextPrompt = nextPrompt
        self.visits = visits
    }
}
