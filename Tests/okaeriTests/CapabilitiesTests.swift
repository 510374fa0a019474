import Foundation
import Glibc
import OkaeriTestSupport
import Testing

/// CAP_NET_ADMIN and CAP_NET_RAW of capabilities(7).
private let admin: UInt64 = 1 << 12
private let raw: UInt64 = 1 << 13

/// Returns a set of rights in the text of `/proc/PID/status`.
private func field(_ name: String, of status: String) -> UInt64 {
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line.flatMap { UInt64($0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
}

/// Whether this process has the rights that it is to give. Containers of root may lack them.
private var canGiveRights: Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return geteuid() == 0 && field("CapBnd", of: status) & (admin | raw) == admin | raw
}

/// The rights of the program, which it takes and gives up before it has a thread: Sources/C/COkaeri/Capabilities.c.
@Suite(.enabled("only root gives a file rights") { canGiveRights }, .blocks)
struct CapabilitiesTests {
    /// Makes rights of a file permitted, and not effective.
    private func permit(_ rights: String, on path: String) throws {
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/usr/sbin/setcap")
        process.arguments = [rights, path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    /// Starts the daemon as a user without rights.
    ///
    /// - Parameter options: The options of setpriv.
    /// - Returns: The sets of its rights, by the names in `/proc/PID/status`.
    private func sets(_ options: [String], permitted: String?) async throws -> [String: UInt64] {
        let folder = try TemporaryFolder()
        let configuration = try folder.file("beacons.json", Array(#"{"regions": []}"#.utf8))
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = try folder.program(
            "okaeri", copying: URL(filePath: own).deletingLastPathComponent().appending(path: "okaeri").path)
        if let permitted { try permit(permitted, on: program) }
        try #require(chmod(folder.path, 0o777) == 0 && chmod(configuration, 0o644) == 0)
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        let socket = "\(folder.path)/socket"
        process.arguments =
            ["--reuid=65534", "--regid=65534", "--clear-groups"] + options + [
                "--", program, "monitor", "--capture", "-", "--wifi", "simulated", "--config", configuration,
                "--socket", socket,
                "--state-dir", "\(folder.path)/state",
            ]
        process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
        process.currentDirectoryURL = URL(filePath: "/")
        let capture = Pipe()
        process.standardInput = capture
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try await eventually("the socket") { FileManager.default.fileExists(atPath: socket) }
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let names = ["CapPrm", "CapEff", "CapAmb", "CapInh"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, field($0, of: status)) })
    }

    @Test(arguments: [
        ("+net_raw,+net_admin", raw | admin), ("+net_raw", raw),
        ("", 0),
    ])
    func `permitted rights of the file become effective, as far as the container has them`(
        bounding: String, rights: UInt64
    ) async throws {
        let set = "--bounding-set=" + (bounding.isEmpty ? "-all" : "-all,\(bounding)")
        let sets = try await sets([set, "--inh-caps=-all"], permitted: "cap_net_raw,cap_net_admin=p")
        #expect(sets == ["CapPrm": rights, "CapEff": rights, "CapAmb": 0, "CapInh": 0])
    }

    @Test func `ambient rights stay effective, and child processes do not get them`() async throws {
        let sets = try await sets(["--inh-caps=-all,+net_raw", "--ambient-caps=-all,+net_raw"], permitted: nil)
        #expect(sets["CapPrm"] == raw && sets["CapEff"] == raw && sets["CapAmb"] == 0)
    }

    @Test func `a program without rights starts without any`() async throws {
        let sets = try await sets(["--inh-caps=-all"], permitted: nil)
        #expect(sets["CapPrm"] == 0 && sets["CapEff"] == 0 && sets["CapAmb"] == 0)
    }
}
