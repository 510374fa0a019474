package import Bluetooth
import Events

extension AdapterUpdate {
    /// The state as one JSON object on one line.
    package var json: String { fields.json }

    var fields: [EventField] {
        EventField.text("state", state.rawValue) + EventField.text("adapter", adapter)
            + EventField.text("reason", reason)
    }
}
