public import BlueZ

/// The service's and its characteristics' UUIDs, as docs/gatt.md has them: one of ours, counted on in its first group.
public enum StatusProfile {
    public static let service = uuid(0x0001)
    public static let regionStates = uuid(0x0002)
    public static let waitingPrompt = uuid(0x0003)
    public static let answer = uuid(0x0004)
    public static let logLevel = uuid(0x0005)

    private static func uuid(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: 0x8E6B_0000_5C1F_4D27 | number << 32, low: 0x9A43_B1D0_6F7C_2E95)
    }
}
