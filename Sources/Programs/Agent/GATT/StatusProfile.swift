package import BlueZ

/// The service's and its characteristics' UUIDs, as docs/gatt.md has them: one of ours, counted on in its first group.
package enum StatusProfile {
    /// The primary service.
    package static let service = uuid(0x0001)
    /// Region states: read, notified. UTF-8, a line for each region.
    package static let regionStates = uuid(0x0002)
    /// The prompts that wait: read, indicated. UTF-8, a line for each.
    package static let waitingPrompt = uuid(0x0003)
    /// The answer to a prompt: written. Its token, a space and a word.
    package static let answer = uuid(0x0004)
    /// The log level of the process that serves: written.
    package static let logLevel = uuid(0x0005)

    private static func uuid(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: 0x8E6B_0000_5C1F_4D27 | number << 32, low: 0x9A43_B1D0_6F7C_2E95)
    }
}
