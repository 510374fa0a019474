package import Bluetooth

extension AdapterUpdate {
    /// A capture stands in for an adapter that is well.
    package static func replaying(_ capture: String) -> AdapterUpdate {
        AdapterUpdate(state: .poweredOn, adapter: nil, reason: "the capture \(capture) stands in for an adapter")
    }

    /// The reason why nothing can be watched; `nil` while that is possible, or only interrupted.
    package var failure: String? {
        switch state {
        case .unsupported, .unauthorized: reason
        case .unknown, .resetting, .poweredOff, .poweredOn: nil
        }
    }

    /// Nothing was asked of the adapter yet.
    package static let starting = AdapterUpdate(
        state: .unknown, adapter: nil, reason: "the adapter has not answered yet")
}
