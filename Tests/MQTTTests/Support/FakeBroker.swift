import Foundation
import Glibc
import OkaeriTestSupport

/// A program that listens on a port and is not a broker, or a bad one.
///
/// Sendable: it is set once, in the initializer.
final class FakeBroker: @unchecked Sendable {
    private let listener: LoopbackListener

    var port: UInt16 { listener.port }

    /// - Parameters:
    ///   - answer: The bytes that it sends to each client at once.
    ///   - hangsUp: whether it ends the connection then; else it keeps it and reads nothing.
    init(_ answer: [UInt8], hangsUp: Bool = false) throws {
        listener = try LoopbackListener()
        let descriptor = listener.descriptor
        let thread = Thread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                var rest = answer[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                if hangsUp { close(client) }
            }
        }
        thread.start()
    }

    deinit {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        listener.close()
    }

    /// A CONNACK of MQTT 5 without properties.
    static func connack(_ reason: UInt8 = 0) -> [UInt8] { [0x20, 3, 0, reason, 0] }

    /// A PUBLISH, QoS 0, retained, without properties.
    static func publish(_ topic: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        var length = topic.count + 3 + payload.count
        var packet: [UInt8] = [0x31]
        repeat {
            packet.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
            length >>= 7
        } while length > 0
        return packet + [UInt8(topic.count >> 8), UInt8(topic.count & 0xFF)] + topic + [0] + payload
    }
}
