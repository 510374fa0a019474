/// The reason why values do not fit into an HCI packet.
public enum HCIEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The parameters do not fit the length, which is one byte.
    case parametersTooLong(count: Int, limit: Int)

    /// There are more reports than one event may hold.
    case tooManyReports(count: Int, limit: Int)

    /// The advertising data of one report is longer than its PDU allows.
    case dataTooLong(count: Int, limit: Int)

    public var description: String {
        switch self {
        case .parametersTooLong(let count, let limit):
            "the parameters take \(count) bytes, but a packet holds \(limit); split them over several packets"
        case .tooManyReports(let count, let limit):
            "\(count) reports are too many for one event, which holds \(limit); split them over several events"
        case .dataTooLong(let count, let limit):
            "the advertising data takes \(count) bytes, but a report holds \(limit); send it in fragments"
        }
    }
}
