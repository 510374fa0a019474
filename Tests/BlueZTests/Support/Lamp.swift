import BlueZ
import OkaeriTestSupport

extension Lamp {
    static let battery = BluetoothUUID(0x180F)
    static let level = BluetoothUUID(0x2A19)
    static let alert = BluetoothUUID(0x2A06)
}

/// Returns the error that ends the work; `nil` if it ends well.
func error(of work: () async throws -> Void) async -> CentralError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? CentralError
    }
}
