public enum PromptAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No prompt of that name was put, or it is long gone.
    case noSuchPrompt(id: String)

    case closed(Prompt, PromptWithdrawal)

    public var description: String {
        switch self {
        case .noSuchPrompt(let id):
            "there is no prompt \(id); `okaeri prompts` lists those that wait"
        case .closed(let prompt, .answered(let answer)):
            "prompt \(prompt.id) for “\(prompt.ssid)” was answered already, with \(answer.rawValue)"
        case .closed(let prompt, .departed):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn when the region was left; "
                + "the next arrival asks again"
        case .closed(let prompt, .arrived):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn when the region was entered"
        case .closed(let prompt, .connected):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn because nothing is left to do"
        case .closed(let prompt, .reconfigured):
            "prompt \(prompt.id) for “\(prompt.ssid)” was withdrawn because the configuration does not ask for it any more"
        }
    }
}
