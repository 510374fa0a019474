import FuzzSupport

/// The input is a request: its first line is the method and the path, and what follows is the body; or, behind a zero byte,
/// all of what a client sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    if bytes.first == 0 {
        _ = RunningServer.shared.answer(to: Array(bytes.dropFirst()), hangsUp: true)
    } else {
        checkRequest(bytes)
    }
    return 0
}

private func checkRequest(_ bytes: UnsafeRawBufferPointer) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard let method = parts.first, let path = parts.dropFirst().first else { return }
    // Of anything else the parser of swift-nio makes the end of the connection.
    guard ["GET", "POST", "DELETE", "PUT", "HEAD"].contains(String(decoding: method, as: UTF8.self)),
        path.first == UInt8(ascii: "/"), path.allSatisfy({ (0x21..<0x7F).contains($0) })
    else { return }
    let body = bytes.dropFirst(line.count + 1)
    let head = "\(String(decoding: line, as: UTF8.self)) HTTP/1.1\r\nhost: okaeri\r\nconnection: close\r\n"
    let answer = RunningServer.shared.answer(
        to: Array("\(head)content-length: \(body.count)\r\n\r\n".utf8) + body, hangsUp: false)
    let text = String(decoding: answer, as: UTF8.self)
    let status = text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
    require(text.hasPrefix("HTTP/1.1 "), "there is no answer to \(String(decoding: line, as: UTF8.self))")
    require([200, 400, 404, 405, 409, 413, 503].contains(status), "the answer is \(text.prefix(60))")
}
