/// The result of NetworkManager's check whether the Internet can be reached through the connected network.
public enum InternetAccess: Hashable, Sendable {
    /// There is no check, or it has no result yet.
    case unknown

    case full

    case limited

    /// A captive portal requires a login. The address is one that the portal redirects to its login page, or nil.
    case portal(address: String?)

    /// The longest address that is shown, in bytes.
    private static let longestAddress = 200

    /// Creates the access through a captive portal.
    ///
    /// - Parameter checkedAddress: the address that NetworkManager checks. Only plain HTTP leads to the login page: a portal
    ///   cannot redirect HTTPS. An address with other characters than visible ASCII would not be safe on a terminal.
    package init(portalAt checkedAddress: String?) {
        let isUsable = checkedAddress.map { address in
            address.hasPrefix("http://") && address.utf8.count <= Self.longestAddress
                && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        self = .portal(address: isUsable == true ? checkedAddress : nil)
    }

    public var limitation: Limitation? {
        switch self {
        case .unknown, .full: nil
        case .limited: .noInternet
        case .portal: .captivePortal
        }
    }

    /// A stable name for programs and translations.
    public enum Limitation: String, Sendable, CaseIterable {
        case noInternet
        case captivePortal

        /// Returns what limits the access to the Internet and what to do about it, in Japanese.
        ///
        /// - Parameter reason: The sentence in English, which contains the address to open.
        package func japanese(_ reason: String) -> String {
            switch self {
            case .noInternet: "インターネットに接続できません。ルーターと回線を確認してください"
            case .captivePortal: "Web ページでのログインが必要です。ブラウザーで開いてください（\(reason)）"
            }
        }
    }

    /// The limitation of the access and the remedy, or `nil` if none is known.
    public var reason: String? {
        switch self {
        case .unknown, .full: nil
        case .limited: "the network does not reach the Internet; check the router and its line"
        case .portal(let address?): "the network requires a login on a web page; open \(address) in a browser"
        case .portal(nil):
            "the network requires a login on a web page; open a page in a browser whose address begins with http://"
        }
    }
}
