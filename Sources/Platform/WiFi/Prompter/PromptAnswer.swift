public enum PromptAnswer: String, Codable, Hashable, Sendable, CaseIterable {
    case join

    /// Not now: ask at the next arrival.
    case later

    /// Do not ask for this network again, until that is taken back.
    case never
}
