import OkaeriTestSupport

@testable import BlueZ

extension CentralManager {
    /// Waits until bluetoothd has signalled a peripheral that fulfils a condition.
    func waitForPeripheral(where isSo: (Discovery) -> Bool) async throws {
        _ = try await mirror.wait(until: nil, for: .devices { _ in true }) { view -> Bool? in
            guard let adapter = view.workingAdapter(named: nil) else { return nil }
            return view.peripherals(on: adapter.path).contains(where: isSo) ? true : nil
        }
    }
}
