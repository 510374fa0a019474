import Glibc
import OkaeriEvents

/// The number of a Linux release, such as 6.12.93 of `6.12.93+rpt-rpi-v8`.
struct KernelRelease: Equatable, Comparable {
    var major, minor, patch: Int

    init(_ major: Int, _ minor: Int, _ patch: Int) { (self.major, self.minor, self.patch) = (major, minor, patch) }

    /// Parses the text of `uname -r`; `nil` for other texts. A missing patch level is 0.
    init?(_ text: String) {
        let parts = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.split(separator: ".").map { Int($0) }
        guard parts.count >= 2, let major = parts[0], let minor = parts[1] else { return nil }
        self.init(major, minor, parts.count > 2 ? parts[2] ?? 0 : 0)
    }

    /// The running kernel.
    static var running: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// The releases that refuse bluetoothd's advertisements as Invalid Parameters (raspberrypi/linux #7473, RPi-Distro/repo #407). 6.18.36
    /// has the correction; of the series 6.12 no corrected release is known.
    private static let affected = [
        KernelRelease(6, 12, 93)...KernelRelease(6, 12, 93), KernelRelease(6, 18, 34)...KernelRelease(6, 18, 35),
    ]

    /// Whether bluetoothd cannot advertise on it.
    var refusesAdvertisements: Bool { Self.affected.contains { $0.contains(self) } }
}

extension Doctor {
    /// Returns the fault of a kernel on which bluetoothd cannot advertise.
    static func kernelFindings(_ release: String) -> [Finding] {
        guard KernelRelease(release)?.refusesAdvertisements == true else { return [] }
        return [.note("kernel", DoctorPhrase.kernelFault, release)]
    }
}
