/// A join that succeeded.
public struct JoinedNetwork: Hashable, Sendable {
    public let ssid: String

    public let device: String?

    /// The credentials of the join; `nil` if it was connected before the join began.
    public let credentials: NetworkCondition.Credentials?

    public init(ssid: String, device: String?, credentials: NetworkCondition.Credentials?) {
        self.ssid = ssid
        self.device = device
        self.credentials = credentials
    }
}
