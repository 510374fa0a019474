package import Bluetooth
import Events

extension AdapterUpdate {
    /// The state as one JSON object on one line.
    package var json: String {
        var object = JSONObject()
        object.add("state", state.rawValue)
        object.add("adapter", adapter)
        object.add("reason", reason)
        return object.text
    }
}
