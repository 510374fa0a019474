import Glibc
import OkaeriPlumbing

/// A text as a QR code, by libqrencode (https://fukuchi.org/works/qrencode/), if that is installed: it is loaded on
/// demand, so that only users of the page need it.
struct QRCode {
    /// The reason why there is no code.
    enum Failure: Error, CustomStringConvertible {
        case noLibrary, tooLong

        var description: String {
            switch self {
            case .noLibrary: "no QR code: libqrencode4 is not installed; \(Remedy.install("libqrencode4").order())"
            case .tooLong: "no QR code: the address is too long for one; open it as it is"
            }
        }
    }

    private var modules: [[Bool]]

    /// The head of QRcode of qrencode.h.
    private struct Symbol {
        var version: Int32
        var width: Int32
        var data: UnsafeMutablePointer<UInt8>?
    }

    private typealias Encode =
        @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    init(_ text: String) throws(Failure) {
        guard let library = dlopen("libqrencode.so.4", RTLD_NOW),
            let encode = dlsym(library, "QRcode_encodeString8bit"), let free = dlsym(library, "QRcode_free")
        else { throw .noLibrary }
        // Any version, the lowest correction: the screen is clean.
        guard let found = unsafeBitCast(encode, to: Encode.self)(text, 0, 0) else { throw .tooLong }
        defer { unsafeBitCast(free, to: Free.self)(found) }
        let symbol = found.assumingMemoryBound(to: Symbol.self).pointee
        guard let data = symbol.data, symbol.width > 0 else { throw .tooLong }
        let width = Int(symbol.width)
        modules = (0..<width).map { row in (0..<width).map { data[row * width + $0] & 1 == 1 } }
    }

    /// Two rows a line, dark on light whatever the terminal's colours are, with the quiet zone of four modules.
    var lines: [String] {
        let quiet = 4
        let width = modules.count + 2 * quiet
        func isDark(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - quiet, column - quiet)
            return modules.indices.contains(row) && modules.indices.contains(column) && modules[row][column]
        }
        return stride(from: 0, to: width, by: 2).map { row in
            let cells = (0..<width).map { column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (false, false): " "
                case (true, false): "\u{2580}"
                case (false, true): "\u{2584}"
                case (true, true): "\u{2588}"
                }
            }
            return "\u{1B}[30;107m\(cells.joined())\u{1B}[0m"
        }
    }
}
