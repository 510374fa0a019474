/// The nearness of a beacon, in CoreLocation's four values (`CLProximity`). The order is that of the list ranging gives.
public enum Proximity: String, Hashable, Sendable, CaseIterable {
    /// Within half a metre.
    case immediate
    /// Within three metres.
    case near
    /// Farther away.
    case far
    /// There is no signal to judge by, or no measured power.
    case unknown

    /// - Parameter accuracy: the distance in metres, negative when it is not known.
    public init(accuracy: Double) {
        switch accuracy {
        case ..<0: self = .unknown
        case ..<0.5: self = .immediate
        case ..<3: self = .near
        default: self = .far
        }
    }

    var rank: Int {
        switch self {
        case .immediate: 0
        case .near: 1
        case .far: 2
        case .unknown: 3
        }
    }
}
