package import HCI
import OkaeriPlumbing

/// The interval and window of the scan, and the reason for them.
package struct ScanReport: Codable, Sendable, Equatable {
    /// The scan interval and window, in milliseconds.
    package var interval: Double
    package var window: Double
    /// window / interval.
    package var share: Double
    /// The raw value of ``ScanMode/Reason``. Later versions may have others.
    package var reason: String
    /// Both as a part of a sentence: `50 % of the time: 2.4 GHz Wi-Fi is in use`.
    package var text: String
    /// The time since the start in which the adapter listened, and in which it received, in seconds.
    package var listened: Double
    package var received: Double

    /// Whether the scan is that of another program, which the daemon uses as it is.
    package var isOfOtherProgram: Bool { reason == ScanMode.Reason.otherProgram.rawValue }

    package init(_ mode: ScanMode, listened: Duration, received: Duration) {
        interval = mode.timing.interval.milliseconds
        window = mode.timing.window.milliseconds
        share = mode.timing.share.rounded(digits: 3)
        reason = mode.reason.rawValue
        text = mode.description
        self.listened = listened.seconds(digits: 1)
        self.received = received.seconds(digits: 1)
    }
}
