import Foundation
import Glibc
import OkaeriPlumbing
import Synchronization

/// An HTTP server on loopback that answers as a test decides.
package final class TestWebServer: Sendable {
    /// The answer to a request.
    package enum Answer: Sendable {
        case status(Int)
        /// A status, fields of its own, and content.
        case text(Int, fields: String = "", String)
        /// A status, and content of gigabytes.
        case endless(Int)
        /// Nothing, on an open connection.
        case silence
    }

    package struct Request: Sendable, Equatable {
        /// The first line, and the fields.
        package var head: String
        package var body: String
    }

    /// The requests so far.
    package let requests = Watched<[Request]>([])
    package let port: UInt16
    private let descriptor: Int32
    private let silent = Mutex<[Int32]>([])

    /// - Parameter answer: Returns the answer to the request with that number, from 0 on.
    package init(_ answer: @escaping @Sendable (_ number: Int) -> Answer) throws {
        let listener = try LoopbackListener()
        (descriptor, port) = (listener.descriptor, listener.port)
        try BlockingThread.start { [weak self, descriptor] in
            var number = 0
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                let request = Self.read(connection)
                self?.requests.change { $0.append(request) }
                if case .silence = answer(number) {
                    self?.silent.withLock { $0.append(connection) }
                } else {
                    Self.send(answer(number), to: connection)
                    close(connection)
                }
                number += 1
            }
            close(descriptor)
        }
    }

    deinit {
        // Ends the call of accept.
        shutdown(descriptor, Int32(SHUT_RDWR))
        for connection in silent.withLock(\.self) { close(connection) }
    }

    package var address: String { "http://127.0.0.1:\(port)" }

    private static func read(_ connection: Int32) -> Request {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let (head, body) = (String(text[..<end.lowerBound]), String(text[end.upperBound...]))
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
                if body.utf8.count >= length ?? 0 { return Request(head: head, body: body) }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return Request(head: text, body: "") }
            bytes += chunk[..<count]
        }
    }

    private static func send(_ answer: Answer, to connection: Int32) {
        switch answer {
        case .silence: break
        case .status(let status):
            send("HTTP/1.1 \(status) x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: connection)
        case .text(let status, let fields, let text):
            send("HTTP/1.1 \(status) x\r\n\(fields)Content-Length: \(text.utf8.count)\r\n\r\n\(text)", to: connection)
        case .endless(let status):
            send("HTTP/1.1 \(status) x\r\nContent-Length: 4000000000\r\n\r\n", to: connection)
            let piece = String(repeating: "x", count: 1 << 16)
            while send(piece, to: connection) {}
        }
    }

    @discardableResult
    private static func send(_ text: String, to connection: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
