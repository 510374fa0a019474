import COkaeri
import Glibc
import OkaeriPlumbing

/// A POST request of JSON, by libcurl: it follows no redirection, uses no proxy, and drops the answer.
struct HTTPPost: Sendable {
    struct Limits: Sendable {
        /// The time of the connection, and of the whole request: shorter than the patience of `okaeri notify test`.
        var connect = Duration.seconds(4)
        var total = Duration.seconds(8)
        /// The length of an answer, in bytes.
        var answer = 65_536
    }

    /// Ends a request from another thread, within a second.
    ///
    /// Sendable: the value is only accessed atomically.
    final class Cancellation: @unchecked Sendable {
        fileprivate let value = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

        init() { value.initialize(to: 0) }

        deinit { value.deallocate() }

        func cancel() { okaeri_cancel(value) }
    }

    private static let tokenLimit = 1024

    var url: String
    var body: [UInt8]
    var tokenFile: String?
    var limits = Limits()

    /// Sends the request. Blocking.
    func send(_ cancellation: Cancellation) throws(DeliveryProblem) {
        var fields = ["Content-Type: application/json", "User-Agent: okaeri", "Expect:"]
        if let tokenFile { fields.append("Authorization: Bearer \(try Self.token(tokenFile))") }
        var status = 0
        let code = post(fields, cancellation, &status)
        // The answer may break off or be too long: its status is valid all the same.
        if 200..<300 ~= status { return }
        if status >= 300 { throw .status(status) }
        throw Self.problem(code)
    }

    private func post(_ fields: [String], _ cancellation: Cancellation, _ status: inout Int) -> Int32 {
        let copies = fields.map { strdup($0) }
        defer {
            for copy in copies {
                if let copy { explicit_bzero(copy, strlen(copy)) }
                free(copy)
            }
        }
        let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
        return url.withCString { url in
            body.withUnsafeBytes { body in
                pointers.withUnsafeBufferPointer { fields in
                    var request = okaeri_request(
                        url: url, fields: fields.baseAddress, body: body.baseAddress, length: body.count,
                        connect_limit: limits.connect.milliseconds, limit: limits.total.milliseconds,
                        answer_limit: limits.answer, cancelled: cancellation.value)
                    return okaeri_post(&request, &status)
                }
            }
        }
    }

    private static func token(_ path: String) throws(DeliveryProblem) -> String {
        try SecretFile.withContents(
            of: path, limit: tokenLimit, failure: { .token($0.sentence(of: path, holding: "token")) }
        ) { bytes throws(DeliveryProblem) in
            guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .token(
                    "the token file \(path) contains spaces or control characters; write only the token into it")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// By the numbers of libcurl-errors(3), which never change.
    private static func problem(_ code: Int32) -> DeliveryProblem {
        switch code {
        case Int32(okaeri_no_library): .noLibrary
        case 6: .unresolved
        case 7: .unreachable
        case 28: .timedOut
        case 60, 77: .untrusted
        default: .failed(code: code)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int(clampedNanoseconds / 1_000_000) }
}

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
        case .noLibrary: "libcurl cannot be loaded; \(Remedy.install("libcurl3-gnutls").order())"
        case .token(let sentence): sentence
        case .unresolved: "the name of the server is not resolved; check the address and this machine's DNS"
        case .unreachable: "no server accepts a connection; check the address, and whether the server runs"
        case .timedOut: "the server did not answer in time; check the address and the network"
        case .untrusted:
            "the certificate of the server is not trusted; check the address and this machine's clock, and "
                + Remedy.install("ca-certificates").order()
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
