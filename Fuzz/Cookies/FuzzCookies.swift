import OkaeriFuzzSupport
import HTTPTypes
import Hummingbird
import NIOCore

@testable import OkaeriServer

/// The input is the Cookie fields of a request, one on each line, behind two octets: how the request came and how many days after
/// the logins, and how often the fields are repeated.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    guard bytes.count >= 2 else { return 0 }
    let isSecure = bytes[0] & 1 != 0
    let days = Int64(bytes[0] >> 1)
    let fields = bytes.dropFirst(2).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    // More cookies than are looked up, from time to time.
    let lines = (0..<max(1, Int(bytes[1]) - 0xE0)).flatMap { _ in fields }
    let request = WebRequest(request(cookies: lines, isSecure: isSecure))
    require(request.isSecure == isSecure, "the proxy's field is not read")
    let values = RequestGate.cookies(in: request.cookie, isSecure: isSecure)
    require(values.count <= 256 && values.allSatisfy { $0.utf8.count == 64 }, "cookies without bound")
    let isSame = values.map { Array($0.utf8) } == expected(request.cookie ?? "", isSecure: isSecure)
    require(isSame, "other cookies are found")
    Browsers.check(request, values, after: days)
    return 0
}

/// A request as a browser sends it, through a proxy if it uses TLS.
private func request(cookies: [String], isSecure: Bool) -> Request {
    var fields: HTTPFields = [:]
    if isSecure, let name = HTTPField.Name("X-Forwarded-Proto") { fields[name] = "https" }
    fields[values: .cookie] = cookies
    let head = HTTPRequest(method: .get, scheme: nil, authority: "pi", path: "/v1/status", headerFields: fields)
    return Request(head: head, body: .init(buffer: ByteBuffer()))
}

/// The values of our cookies (RFC 6265, 4.2.1): a plain walk over octets.
private func expected(_ field: String, isSecure: Bool) -> [[UInt8]] {
    let name = Array((isSecure ? "__Host-okaeri=" : "okaeri=").utf8)
    var values: [[UInt8]] = []
    for pair in Array(field.utf8).split(separator: UInt8(ascii: ";")) {
        let pair = pair.drop { $0 == UInt8(ascii: " ") }
        guard pair.starts(with: name), pair.count == name.count + 64, values.count < 256 else { continue }
        values.append(Array(pair.dropFirst(name.count)))
    }
    return values
}
