public import Bluetooth

extension AdapterUpdate {
    /// The state as one JSON object on one line.
    public var json: String {
        var object = JSONObject()
        object.add("state", state.rawValue)
        object.add("adapter", adapter)
        object.add("reason", reason)
        return object.text
    }
}
