/// The facts about the end of a connection, or about its failure: numbers and lines, to be judged by ``BrokerProblem``.
package struct MQTTLoss: Sendable, Equatable {
    /// The result of libmosquitto (`mosq_err_t`), 0 if it closed the connection and returned nothing.
    package var code: Int32
    /// `errno` beside it; for a name that does not resolve, an `EAI_` number.
    package var errno: Int32
    /// The broker's word, from a CONNACK or DISCONNECT (MQTT 5.0, 3.2.2.2 and 3.14.2.1).
    package var reason: UInt8?
    /// The reason why the broker's certificate was refused: an `X509_V_ERR_` number.
    package var verification: Int
    /// The first line that OpenSSL, or libmosquitto about TLS, left in the log.
    package var tlsLine: String?
    /// A sentence about a file that cannot be used.
    package var file: String?

    package init(
        code: Int32, errno: Int32 = 0, reason: UInt8? = nil, verification: Int = 0, tlsLine: String? = nil,
        file: String? = nil
    ) {
        self.code = code
        self.errno = errno
        self.reason = reason
        self.verification = verification
        self.tlsLine = tlsLine
        self.file = file
    }
}
