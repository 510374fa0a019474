import OkaeriPlumbing

/// The sentence about a network whose prompt was answered with never, with the command that takes the answer back.
package struct NeverSentence: CustomStringConvertible {
    private let ssid: String

    package init(_ ssid: String) { self.ssid = ssid }

    package var description: String {
        let name = ssid.plain(replacesFormat: true)
        // The shell reads nothing but the closing quote between single quotes.
        let quoted = name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
        return
            "\"\(name)\" is never offered or joined, because you answered never; to undo that: okaeri prompts --clear '\(quoted)'"
    }
}
