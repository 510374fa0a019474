import CMosquitto
import Glibc
import Plumbing

extension MQTTConnection {
    /// Connects to the broker's port. It blocks: name service and TCP take minutes without an answer.
    ///
    /// - Returns: The reason why there is no connection.
    func open() -> MQTTLoss? {
        mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V5))
        // Else the kernel holds the second of two messages back until the first one is answered.
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        if let loss = setLogin() ?? setTLS() ?? setLastWord() { return loss }

        let limits = settings.limits
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        // The broker sends nothing larger then, if it is a good one.
        let largest = UInt32(clamping: limits.payload + limits.topicLength + 4096)
        mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), largest)
        if let lastWill = settings.lastWill {
            // A session that ends sooner ends the will's delay too.
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), Self.seconds(lastWill.delay) + 20)
        }
        let code = mosquitto_connect_bind_v5(
            client, settings.broker.host, Int32(settings.broker.port), Int32(Self.seconds(limits.keepAlive)), nil,
            properties)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return loss(code) }
        opened()
        return nil
    }

    private static func seconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: duration.clampedNanoseconds / 1_000_000_000)
    }

    private func setLastWord() -> MQTTLoss? {
        guard let lastWill = settings.lastWill else { return nil }
        var properties: OpaquePointer?
        mosquitto_property_add_int32(
            &properties, Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue), Self.seconds(lastWill.delay))
        let code = mosquitto_will_set_v5(
            client, lastWill.topic, Int32(clamping: lastWill.payload.count), lastWill.payload, 1, true, properties)
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return nil }
        // Only a will that is set has taken the properties over.
        mosquitto_property_free_all(&properties)
        return loss(code)
    }

    private func setLogin() -> MQTTLoss? {
        guard let login = settings.broker.login else { return nil }
        guard let path = login.passwordFile else {
            let code = mosquitto_username_pw_set(client, login.username, login.typed?.text)
            return code == MOSQ_ERR_SUCCESS.rawValue ? nil : loss(code)
        }
        do throws(PasswordFileError) {
            try SecretFile.withContents(
                of: path, limit: TypedPassword.limit, failure: { PasswordFileError(path: path, problem: $0) }
            ) { text throws(PasswordFileError) in
                guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                    throw PasswordFileError(path: path, problem: nil)
                }
                withUnsafeTemporaryAllocation(byteCount: text.count + 1, alignment: 1) { copy in
                    copy.copyMemory(from: text)
                    copy[text.count] = 0
                    if let start = copy.baseAddress {
                        mosquitto_username_pw_set(client, login.username, start.assumingMemoryBound(to: CChar.self))
                        explicit_bzero(start, copy.count)
                    }
                }
            }
            return nil
        } catch {
            return MQTTLoss(code: MOSQ_ERR_INVAL.rawValue, file: error.description)
        }
    }

    private func setTLS() -> MQTTLoss? {
        guard let tls = settings.broker.tls else { return nil }
        for case let (role, path?) in [("CA", tls.authorities), ("certificate", tls.certificate), ("key", tls.key)]
        where access(path, R_OK) != 0 {
            let sentence =
                "the \(role) file \(path.plain()) of the MQTT broker cannot be read: "
                + "\(String(cString: strerror(errno))); correct its path under \"tls\", or make it readable for the user "
                + "as which okaeri runs"
            return MQTTLoss(code: MOSQ_ERR_INVAL.rawValue, file: sentence)
        }
        // Not MOSQ_OPT_TLS_USE_OS_CERTS: with 2.0.11 that works once.
        let folder = tls.authorities == nil ? "/etc/ssl/certs" : nil
        // A key with a passphrase would ask at the terminal.
        let code = mosquitto_tls_set(client, tls.authorities, folder, tls.certificate, tls.key) { _, _, _, _ in 0 }
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return loss(code) }
        // Of itself 2.0.11 allows 1.1.
        let version = mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil)
        return version == MOSQ_ERR_SUCCESS.rawValue ? nil : loss(version)
    }
}

/// The reason why there is no password.
struct PasswordFileError: Error, CustomStringConvertible {
    let path: String
    /// Nil: it holds what no password does.
    let problem: SecretFileProblem?

    var description: String {
        problem?.sentence(of: path, holding: "password")
            ?? "the password file \(path) contains control characters; keep the password on a single line"
    }
}
