/// The reason why a server did not accept a notification. It contains no secret.
enum DeliveryProblem: Error, Sendable, Equatable, CustomStringConvertible {
    case noLibrary
    /// The file of the token cannot be used; the sentence has the reason.
    case token(String)
    case unresolved, unreachable, timedOut, untrusted
    /// The server, or the way to it, broke the request off: libcurl's number of the error.
    case failed(code: Int32)
    /// The server answered with another status than one of success.
    case status(Int)
    case noThread(code: Int32)

    /// Whether a later attempt may succeed without another configuration. A certificate may be rejected because the clock is
    /// not set yet.
    var isPassing: Bool {
        switch self {
        case .noLibrary, .token, .unresolved, .unreachable, .timedOut, .untrusted, .failed, .noThread: true
        case .status(let status): [408, 425, 429].contains(status) || status >= 500
        }
    }

    var description: String {
        switch self {
        case .noLibrary: "libcurl cannot be loaded; run `sudo apt install libcurl3-gnutls`"
        case .token(let sentence): sentence
        case .unresolved: "the name of the server is not resolved; check the address and this machine's DNS"
        case .unreachable: "no server accepts a connection; check the address, and whether the server runs"
        case .timedOut: "the server did not answer in time; check the address and the network"
        case .untrusted:
            "the certificate of the server is not trusted; check the address and this machine's clock, and run "
                + "`sudo apt install ca-certificates`"
        case .failed(let code):
            "the request broke off with error \(code) of libcurl; check the address and the network"
        case .status(let status) where 300..<400 ~= status:
            "the server answers \(status), a redirection, which is not followed; write the address that it leads to"
        case .status(let status) where status == 401 || status == 403:
            "the server answers \(status) and refuses the login; check \"tokenFile\" and the address"
        case .status(let status) where isPassing: "the server answers \(status); check the server if it goes on"
        case .status(let status): "the server answers \(status); check \"type\" and the path of the address"
        case .noThread(let code):
            "no thread can be started: error \(code); raise the limit of this process (`ulimit -u`)"
        }
    }
}
