import Glibc

/// The kernel refused something: what, and why.
struct SystemError: Error, Hashable, Sendable {
    let operation: String

    /// The kernel's answer, `EPERM` and the like.
    let code: Int32

    /// The remedy, if one is known.
    var advice: String?
}

extension SystemError: CustomStringConvertible {
    var description: String {
        let words = strerror(code).map { String(cString: $0) } ?? "unknown error"
        return "\(operation) failed: \(words) (\(code))\(advice.map { "; \($0)" } ?? "")"
    }
}

extension SystemError {
    /// The exit status, from sysexits.h.
    var exitStatus: Int32 {
        switch code {
        case EACCES, EPERM: 77
        case ENOENT, ENXIO, ENODEV: 69
        default: 74
        }
    }
}
