import HCI
import IBeacon
import OkaeriPlumbing

public struct Script: Hashable, Sendable {
    public static let maximumLineLength = 8192

    public let source: String

    let lines: [ScriptLine]

    public static func parse(_ text: String, source: String) -> Result<Script, Mistakes> {
        var lines: [ScriptLine] = []
        var mistakes: [ScriptError] = []
        // "\r\n" is a character of its own.
        let all = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in all.enumerated() {
            do throws(ScriptError) {
                if let line = try ScriptLine(line, source: source, number: index + 1) { lines.append(line) }
            } catch {
                mistakes.append(error)
            }
        }
        return mistakes.isEmpty
            ? .success(Script(source: source, lines: lines)) : .failure(Mistakes(errors: mistakes))
    }

    public struct Mistakes: Error, Hashable, Sendable {
        public let errors: [ScriptError]
    }
}

struct ScriptLine: Hashable, Sendable {
    let source: String
    let number: Int

    /// `at`: how long after the script's begin, in nanoseconds; nil: in its turn.
    let time: Int64?
    let instruction: Instruction

    init?(_ text: some StringProtocol, source: String, number: Int) throws(ScriptError) {
        self.source = source
        self.number = number
        do throws(ScriptMistake) {
            guard text.utf8.count <= Script.maximumLineLength else {
                throw ScriptMistake(
                    found: "a line of \(text.utf8.count) bytes", expected: "at most \(Script.maximumLineLength)")
            }
            guard var arguments = Arguments(text) else { return nil }
            time = arguments.verb == "at" ? try arguments.takeTime() : nil
            instruction = try Instruction(&arguments)
            if time != nil, case .wait = instruction {
                throw ScriptMistake(found: "at … wait", expected: "wait on a line without at")
            }
        } catch {
            throw ScriptError(source: source, line: number, mistake: error)
        }
    }
}

/// Something in a line that is not as it must be.
struct ScriptMistake: Error, Hashable, Sendable {
    let found: String
    let expected: String
}

public struct ScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, or `control`, or `standard input`.
    public let source: String

    public let line: Int

    let mistake: ScriptMistake

    public var description: String {
        "\(source):\(line): found \(mistake.found), expected \(mistake.expected)"
    }
}

/// Reads the values of a script. What has limits is read by a function which these make.
enum Value {
    typealias Reader<Result> = (String) throws(ScriptMistake) -> Result

    /// The longest time, in seconds: a day.
    static let longestTime = 86_400.0

    /// `250ms`, `2.5s`, `1min`, in nanoseconds.
    static func time(_ text: String) throws(ScriptMistake) -> Int64 {
        let units: [(String, Double)] = [("ms", 1e-3), ("min", 60), ("s", 1)]
        guard let (unit, seconds) = units.first(where: { text.hasSuffix($0.0) }),
            let number = decimal(text.dropLast(unit.count)), number * seconds <= longestTime
        else {
            throw ScriptMistake(found: "'\(text)'", expected: "a time up to a day, as 250ms, 2.5s or 1min")
        }
        return Int64((number * seconds * 1e9).rounded())
    }

    /// A time between two others.
    static func time(in range: ClosedRange<Int64>) -> Reader<Int64> {
        { (text) throws(ScriptMistake) -> Int64 in
            let time = try Self.time(text)
            guard range.contains(time) else {
                throw ScriptMistake(
                    found: "'\(text)'",
                    expected: "\(range.lowerBound / 1_000_000)ms to \(range.upperBound / 1_000_000)ms")
            }
            return time
        }
    }

    /// Decimal, or hexadecimal with `0x`.
    static func integer<T: FixedWidthInteger & Sendable>(in range: ClosedRange<T> = T.min...T.max) -> Reader<T> {
        { (text) throws(ScriptMistake) -> T in
            let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
            let number =
                isHexadecimal
                ? UInt64(hexadecimal: text.dropFirst(2)).flatMap { T(exactly: $0) } : T(decimal: text)
            guard let number, range.contains(number) else {
                throw ScriptMistake(
                    found: "'\(text)'", expected: "a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// `-70`, or `none` for what the controller cannot measure (Core Specification 5.4, Vol 4, Part E, 7.7.65.2).
    static func level(_ text: String) throws(ScriptMistake) -> Int8? {
        guard text != "none" else { return nil }
        guard let level = try? integer(in: Int8(-127)...20)(text) else {
            throw ScriptMistake(found: "'\(text)'", expected: "-127 to 20 dBm, or none")
        }
        return level
    }

    /// `02011A`, at most so many bytes.
    static func bytes(limit: Int) -> Reader<[UInt8]> {
        { (text) throws(ScriptMistake) -> [UInt8] in
            guard let bytes = [UInt8](hexadecimal: text) else {
                throw ScriptMistake(found: "'\(text)'", expected: "hexadecimal digits, two a byte")
            }
            guard bytes.count <= limit else {
                throw ScriptMistake(found: "\(bytes.count) bytes", expected: "at most \(limit)")
            }
            return bytes
        }
    }

    static func address(_ text: String) throws(ScriptMistake) -> BluetoothAddress {
        guard let address = BluetoothAddress(text) else {
            throw ScriptMistake(found: "'\(text)'", expected: "an address, as C0:11:22:33:44:55")
        }
        return address
    }

    static func uuid(_ text: String) throws(ScriptMistake) -> BeaconUUID {
        guard let uuid = BeaconUUID(text) else {
            throw ScriptMistake(
                found: "'\(text)'", expected: "a UUID, as 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34")
        }
        return uuid
    }

    /// `0x200C`.
    static func opcode(_ text: String) throws(ScriptMistake) -> HCIOpcode {
        guard let value: UInt16 = try? integer()(text) else {
            throw ScriptMistake(found: "'\(text)'", expected: "a command's opcode, as 0x200C")
        }
        return HCIOpcode(rawValue: value)
    }

    /// One of a few words.
    static func choice<T: RawRepresentable & CaseIterable>(
        of type: T.Type = T.self
    ) -> Reader<T> where T.RawValue == String {
        { (text) throws(ScriptMistake) -> T in
            guard let value = T(rawValue: text) else {
                throw ScriptMistake(
                    found: "'\(text)'", expected: T.allCases.map(\.rawValue).joined(separator: " or "))
            }
            return value
        }
    }

    static func name(_ text: String) throws(ScriptMistake) -> String {
        guard text.utf8.allSatisfy(isNameByte) else {
            throw ScriptMistake(found: "'\(text)'", expected: "a name of letters, digits, -, _ and .")
        }
        return text
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }

    /// Digits with at most one point among them: Double(_:) would take `inf` and `1e9` as well.
    private static func decimal(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ? Double(text) : nil
    }
}
