import CMosquitto

extension MQTTConnection {
    private static func at(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
        context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// They come on the thread that calls libmosquitto, from within that call.
    func setCallbacks() {
        mosquitto_connect_v5_callback_set(client) { _, context, reason, _, properties in
            var keepAlive: UInt16 = 0
            let found = mosquitto_property_read_int16(
                properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &keepAlive, false)
            MQTTConnection.at(context)?.took(reason, keepAlive: found == nil ? nil : keepAlive)
        }
        mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in
            MQTTConnection.at(context)?.dismissed(reason)
        }
        mosquitto_publish_v5_callback_set(client) { _, context, number, reason, _ in
            MQTTConnection.at(context)?.answered(number, reason)
        }
        mosquitto_subscribe_v5_callback_set(client) { _, context, number, count, granted, _ in
            MQTTConnection.at(context)?.answered(number, count > 0 ? granted?[0] ?? 0 : 0)
        }
        mosquitto_unsubscribe_v5_callback_set(client) { _, context, number, _ in
            MQTTConnection.at(context)?.answered(number, 0)
        }
        mosquitto_message_v5_callback_set(client) { _, context, message, _ in
            if let message { MQTTConnection.at(context)?.received(message.pointee) }
        }
        mosquitto_log_callback_set(client) { _, context, level, line in
            if let line { MQTTConnection.at(context)?.logged(level, String(cString: line)) }
        }
    }
}
