/// The facts about the end of a connection, or about its failure: numbers and lines, to be judged by ``BrokerProblem``.
struct MQTTLoss: Sendable, Equatable {
    /// The result of libmosquitto (`mosq_err_t`), 0 if it closed the connection and returned nothing.
    var code: Int32
    /// `errno` beside it; for a name that does not resolve, an `EAI_` number.
    var errno: Int32 = 0
    /// The broker's word, from a CONNACK or DISCONNECT (MQTT 5.0, 3.2.2.2 and 3.14.2.1).
    var reason: UInt8?
    /// The reason why the broker's certificate was refused: an `X509_V_ERR_` number.
    var verification = 0
    /// The first line that OpenSSL, or libmosquitto about TLS, left in the log.
    var tlsLine: String?
    /// A sentence about a file that cannot be used.
    var file: String?
}
