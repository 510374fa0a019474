import Plumbing

/// The reads of packets which are decoded into values: the same as the reader's own, with the packet's error.
extension ByteReader {
    @_lifetime(self: copy self)
    mutating func byte() throws(HCIDecodingError) -> UInt8 {
        do throws(Truncation) {
            return try uint8()
        } catch {
            throw .truncated(error)
        }
    }

    @_lifetime(self: copy self)
    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type = T.self
    ) throws(HCIDecodingError) -> T {
        do throws(Truncation) {
            return try littleEndian(type)
        } catch {
            throw .truncated(error)
        }
    }

    @_lifetime(self: copy self)
    mutating func array(_ count: Int) throws(HCIDecodingError) -> [UInt8] {
        do throws(Truncation) {
            return [UInt8](try take(count))
        } catch {
            throw .truncated(error)
        }
    }

    @_lifetime(self: copy self)
    mutating func expect(_ type: HCIPacketType) throws(HCIDecodingError) {
        let found = try byte()
        guard found == type.rawValue else {
            throw .unexpectedPacketType(found, expected: type)
        }
    }
}
