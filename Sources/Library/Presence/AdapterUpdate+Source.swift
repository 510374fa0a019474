package import Bluetooth

extension AdapterUpdate {
    /// A capture in place of a working adapter.
    package static func replaying(_ capture: String) -> AdapterUpdate {
        AdapterUpdate(state: .poweredOn, adapter: nil, reason: "the capture \(capture) stands in for an adapter")
    }

    /// The reason why regions cannot be watched; `nil` while they can, or while the scan is only interrupted.
    package var failure: String? {
        switch state {
        case .unsupported, .unauthorized: reason
        case .unknown, .resetting, .poweredOff, .poweredOn: nil
        }
    }

    /// The adapter was not used yet.
    package static let starting = AdapterUpdate(
        state: .unknown, adapter: nil, reason: "the adapter has not answered yet")
}
