import COkaeriMosquitto
import Glibc
import OkaeriPlumbing

/// One connection by libmosquitto, from the attempt to its end. It lives on one thread, and so do all calls and callbacks.
///
/// A new one is made for each attempt: it holds nothing of the one before, so that libmosquitto sends nothing of that
/// again, and files are read anew.
final class MQTTConnection {
    let client: OpaquePointer
    let settings: MQTTSettings
    private let report: (MQTTSession.Event) -> Void
    private let deliver: (MQTTMessage) -> Void

    /// The tokens of the sent messages, by libmosquitto's number; and the one being sent, for an answer that comes
    /// before its number.
    private var tokens: [Int32: UInt64] = [:]
    private var sending: UInt64?

    /// The last messages of the broker and OpenSSL, in case the connection is lost.
    private var reason: UInt8?
    private var verification = 0
    private var lines: [String] = []

    private var isConnected = false
    private var readings = 0
    private var keepAlive: Int64
    /// The time at which libmosquitto is asked next whether a PINGREQ is due.
    private var keepAliveDue: Int64 = .max

    /// The interval of libmosquitto's documentation for `mosquitto_loop_misc`.
    private static let maintenanceInterval: Int64 = 1_000_000_000

    /// A broker that has not answered after so many readings sends nonsense, or libmosquitto turns in a circle (2.0.11
    /// does where TLS is reset in its handshake).
    private static let readingsToConnect = 1000

    /// - Parameters:
    ///   - report: Receives the events for the session.
    ///   - deliver: Receives the messages of the broker.
    /// - Returns: nil where there is no memory.
    init?(
        _ settings: MQTTSettings, report: @escaping (MQTTSession.Event) -> Void,
        deliver: @escaping (MQTTMessage) -> Void
    ) {
        _ = Self.library
        guard let client = mosquitto_new(settings.clientID, true, nil) else { return nil }
        self.client = client
        self.settings = settings
        self.report = report
        self.deliver = deliver
        keepAlive = settings.limits.keepAlive.clampedNanoseconds
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
    }

    deinit { mosquitto_destroy(client) }

    private static let library: Void = {
        // With TLS, libmosquitto writes to a socket that the broker has closed.
        signal(SIGPIPE, SIG_IGN)
        mosquitto_lib_init()
    }()

    /// The loss behind a number that libmosquitto returned just now.
    func loss(_ code: Int32, errno: Int32 = errno) -> MQTTLoss {
        MQTTLoss(
            code: code, errno: errno, reason: reason, verification: verification,
            tlsLine: lines.isEmpty ? nil : lines.joined(separator: "; "))
    }

    /// The connection to the port is there.
    func opened() {
        keepAliveDue = KernelClock.boottime.addingClamped(keepAlive)
    }

    // MARK: - Sending

    /// Returns why it cannot be sent, if the connection is lost.
    func publish(_ publication: MQTTPublication, token: UInt64) -> MQTTLoss? {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if let expiry = publication.expiry {
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        return send(token) { number in
            mosquitto_publish_v5(
                client, &number, publication.topic, Int32(clamping: publication.payload.count), publication.payload,
                publication.quality.rawValue, publication.isRetained, properties)
        }
    }

    func subscribe(_ filter: String, token: UInt64) -> MQTTLoss? {
        send(token) { mosquitto_subscribe_v5(client, &$0, filter, 1, 0, nil) }
    }

    /// Subscribes again without this client's own messages (No Local), and without the values that the broker has delivered already (MQTT
    /// 5.0, 3.8.3.1).
    func narrow(_ filter: String, token: UInt64) -> MQTTLoss? {
        let options = Int32(MQTT_SUB_OPT_NO_LOCAL.rawValue | MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
        return send(token) { mosquitto_subscribe_v5(client, &$0, filter, 1, options, nil) }
    }

    func unsubscribe(_ filter: String, token: UInt64) -> MQTTLoss? {
        send(token) { mosquitto_unsubscribe_v5(client, &$0, filter, nil) }
    }

    private func send(_ token: UInt64, _ call: (inout Int32) -> Int32) -> MQTTLoss? {
        var number: Int32 = 0
        sending = token
        let code = call(&number)
        keepAliveDue = KernelClock.boottime.addingClamped(keepAlive)
        switch code {
        case MOSQ_ERR_SUCCESS.rawValue:
            if let token = sending { tokens[number] = token }
            sending = nil
            return nil
        case MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_ERRNO.rawValue, MOSQ_ERR_NOMEM.rawValue,
            MOSQ_ERR_TLS.rawValue:
            return loss(code)
        default:
            sending = nil
            report(.unsendable(token, code: code))
            return nil
        }
    }

    /// Sends DISCONNECT, and waits for a moment until the broker has closed the connection: otherwise packets that the
    /// broker has not read would be lost, and the broker would publish the last will.
    func disconnect() {
        mosquitto_disconnect_v5(client, 0, nil)
        let deadline = KernelClock.boottime.addingClamped(500_000_000)
        while mosquitto_socket(client) >= 0 {
            let left = deadline.subtractingClamped(KernelClock.boottime) / 1_000_000
            guard left > 0 else { return }
            let writes = mosquitto_want_write(client)
            var descriptor = pollfd(
                fd: mosquitto_socket(client), events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0)
            guard poll(&descriptor, 1, Int32(left)) > 0 else { return }
            if writes, mosquitto_loop_write(client, 1) != 0 { return }
            if descriptor.revents & ~Int16(POLLOUT) != 0, mosquitto_loop_read(client, 1) != 0 { return }
        }
    }

    // MARK: - Waiting

    /// Waits for the broker, for a signal, or for the time, and does what there is to do.
    ///
    /// - Returns: The reason why the connection is lost, if it is.
    func wait(until deadline: Int64?, _ wakeUp: borrowing WakeUp) -> MQTTLoss? {
        let now = KernelClock.boottime
        var due = min(deadline ?? .max, keepAliveDue)
        var events = POLLIN
        if mosquitto_want_write(client) {
            // In a handshake libmosquitto wants to write though it must read first (before 2.1): not in a circle.
            if isConnected || readings == 0 { events |= POLLOUT } else { due = min(due, now.addingClamped(50_000_000)) }
        }
        // Rounded up, or it would wait again for less than a millisecond.
        let left = max(0, due.subtractingClamped(now)).addingClamped(999_999) / 1_000_000
        var descriptors = [
            pollfd(fd: mosquitto_socket(client), events: Int16(events), revents: 0),
            pollfd(fd: wakeUp.number, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&descriptors, 2, Int32(clamping: min(left, 3_600_000)))
        if descriptors[1].revents != 0 { wakeUp.clear() }
        if isGivenUp { return loss(MOSQ_ERR_KEEPALIVE.rawValue) }
        if !isConnected { readings += 1 }
        return read(descriptors[0].revents) ?? write(descriptors[0].revents, timedOut: count == 0) ?? maintain()
    }

    /// Whether the broker may have received nothing from this client for one and a half times the keep alive, because the
    /// process was suspended: the broker has closed the connection and published the last will (MQTT 5.0, 3.1.2.10),
    /// and what is still in the socket is obsolete. Mosquitto counts whole seconds.
    private var isGivenUp: Bool {
        KernelClock.boottime.subtractingClamped(max(keepAlive / 2 - 1_000_000_000, 1_000_000_000)) >= keepAliveDue
    }

    private func read(_ events: Int16) -> MQTTLoss? {
        guard events & ~Int16(POLLOUT) != 0 else { return nil }
        repeat {
            let code = mosquitto_loop_read(client, 1)
            // The socket is gone without an error where the broker has taken leave.
            if code != MOSQ_ERR_SUCCESS.rawValue || mosquitto_socket(client) < 0 { return loss(code) }
        } while okaeri_tls_pending(client) > 0
        return isConnected || readings < Self.readingsToConnect ? nil : loss(MOSQ_ERR_PROTOCOL.rawValue)
    }

    private func write(_ events: Int16, timedOut: Bool) -> MQTTLoss? {
        guard events & Int16(POLLOUT) != 0 || (timedOut && mosquitto_want_write(client)) else { return nil }
        let code = mosquitto_loop_write(client, 1)
        return code == MOSQ_ERR_SUCCESS.rawValue ? nil : loss(code)
    }

    /// Has libmosquitto send a PINGREQ if one is due. It does not report whether it has sent one, and each packet that it sends
    /// by itself, such as a PUBACK, moves the time: so it is asked again after a second, not after a whole interval.
    private func maintain() -> MQTTLoss? {
        let now = KernelClock.boottime
        guard now >= keepAliveDue else { return nil }
        if isGivenUp { return loss(MOSQ_ERR_KEEPALIVE.rawValue) }
        keepAliveDue = now.addingClamped(Self.maintenanceInterval)
        let code = mosquitto_loop_misc(client)
        return code == MOSQ_ERR_SUCCESS.rawValue ? nil : loss(code)
    }

    // MARK: - Callbacks

    func took(_ reason: Int32, keepAlive server: UInt16?) {
        guard reason == 0 else {
            self.reason = UInt8(clamping: reason)
            return
        }
        isConnected = true
        if let server, server > 0 {
            keepAlive = Duration.seconds(server).clampedNanoseconds
            keepAliveDue = KernelClock.boottime.addingClamped(keepAlive)
        }
        // Its log lines about each packet are not needed.
        mosquitto_log_callback_set(client, nil)
        report(.connected)
    }

    /// Libmosquitto's numbers come this way too; the broker's reasons are those of errors.
    func dismissed(_ reason: Int32) {
        if reason >= 0x80 { self.reason = UInt8(clamping: reason) }
    }

    func answered(_ number: Int32, _ reason: Int32) {
        guard let token = tokens.removeValue(forKey: number) ?? sending else { return }
        if token == sending { sending = nil }
        report(.answered(token, reason: UInt8(clamping: reason)))
    }

    func received(_ message: mosquitto_message) {
        let limits = settings.limits
        let bytes = Int(message.payloadlen)
        let length = message.topic.map { strnlen($0, limits.topicLength + 1) } ?? 0
        guard let topic = message.topic, length <= limits.topicLength, bytes <= limits.payload,
            let text = String(validatingCString: topic)
        else {
            let start = message.topic.map { UnsafeRawBufferPointer(start: $0, count: min(length, 100)) }
            report(.refused(topic: start.map { String(decoding: $0, as: UTF8.self) } ?? "", bytes: bytes + length))
            return
        }
        let payload = Array(UnsafeRawBufferPointer(start: message.payload, count: max(0, bytes)))
        deliver(MQTTMessage(topic: text, payload: payload, isRetained: message.retain))
    }

    func logged(_ level: Int32, _ line: String) {
        guard level == MOSQ_LOG_ERR else { return }
        if verification == 0 { verification = okaeri_tls_verification(client) }
        if lines.count < 4 { lines.append(String(line.prefix(200))) }
    }
}

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
        guard !settings.broker.exposesPassword else {
            return MQTTLoss(
                code: MOSQ_ERR_INVAL.rawValue,
                file:
                    "the connection to the MQTT broker at \(settings.broker.description.plain()) is not encrypted, so the password "
                    + "is not sent; encrypt it with \"tls\", or write \"tls\": false to send it unencrypted")
        }
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
        for case let (role, path?) in [("CA", tls.authorities), ("certificate", tls.certificate), ("key", tls.key)] {
            guard let problem = Self.problem(ofFile: path) else { continue }
            let sentence =
                "the \(role) file \(path.plain()) of the MQTT broker cannot be read: \(problem); correct its path under "
                + "\"tls\", or make it readable for the user as which okaeri runs"
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

    /// Returns the reason why libmosquitto cannot read a file. It would wait for the writer of a pipe without an end.
    private static func problem(ofFile path: String) -> String? {
        var status = stat()
        guard access(path, R_OK) == 0, stat(path, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a regular file"
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

/// The dropped messages, as a sentence for the log once a minute at most: another client may send a million of them.
struct Notices: Sendable {
    private static let interval = Duration.seconds(60)

    private var refusedCount = 0
    private var largest = (topic: "", bytes: 0)
    private var lostCount = 0
    private var quietUntil: Int64?

    /// The time of the next sentence; `nil` if there is none.
    var due: Int64? { refusedCount + lostCount > 0 ? quietUntil : nil }

    mutating func refused(topic: String, bytes: Int) {
        refusedCount += 1
        if bytes >= largest.bytes { largest = (topic, bytes) }
    }

    mutating func next(at now: Int64, dropped outbox: inout Outbox) -> String? {
        lostCount += outbox.takeDropped()
        guard refusedCount + lostCount > 0, now >= quietUntil ?? now else { return nil }
        quietUntil = now.addingClamped(Self.interval.clampedNanoseconds)
        if refusedCount > 0 {
            defer { (refusedCount, largest) = (0, ("", 0)) }
            return
                "\(refusedCount) MQTT message(s) dropped: they are too large for Okaeri, the largest has \(largest.bytes) "
                + "bytes, on \(largest.topic.plain()); check which client publishes there"
        }
        defer { lostCount = 0 }
        return
            "\(lostCount) MQTT message(s) not sent: the broker accepts them too slowly, or was unreachable for too long; look "
            + "at its load and log"
    }
}
