import COkaeriLibraries
import Glibc
import OkaeriTestSupport
import Testing

/// The libraries that the program loads on demand.
@Suite(.blocks, .timeLimit(.minutes(5))) struct LibrariesTests {
    private let binary: Binary

    init() throws { binary = try Binary() }

    private static let files = [
        "libz.so.1", "libnettle.so.8", "libglib-2.0.so.0", "libgobject-2.0.so.0", "libgio-2.0.so.0", "libsqlite3.so.0",
        "libmosquitto.so.1", "libnm.so.0",
    ]

    /// The variables with which a file that is not a library stands in for some libraries.
    private func without(_ files: [String]) throws -> [String: String] {
        for file in files { _ = try binary.file(file, "not a library".utf8) }
        return ["LD_LIBRARY_PATH": binary.folder]
    }

    @Test func `each function of the list is in its library`() {
        #expect(okaeri_libraries_count() > 200)
        for position in 0..<okaeri_libraries_count() {
            let name = String(cString: okaeri_libraries_name(position))
            // It would end the program.
            #expect(okaeri_libraries_function(position) != nil, "\(name)")
        }
        #expect(okaeri_libraries_load().file == nil)
    }

    @Test func `a command that asks the daemon loads none of them`() throws {
        let environment = try without(Self.files)
        let status = try binary.run(["status", "--socket", "/nowhere"], environment: environment)
        #expect(status.status == 3)
        #expect(status.errors.contains("no okaeri runs here"))
        #expect(try binary.run(["--version"], environment: environment).status == 0)
        #expect(try binary.run(["status", "--help"], environment: environment).status == 0)
    }

    @Test(arguments: files)
    func `a daemon without a library ends at its start, with the package`(file: String) throws {
        let daemon = try binary.run(
            ["monitor", "--config", binary.configuration, "--capture", Binary.capture, "--wifi", "simulated"],
            environment: try without([file]))
        #expect(daemon.status == 69)
        #expect(daemon.errors.contains("okaeri: \(file) cannot be loaded: "))
        #expect(daemon.errors.contains("run `sudo apt install --reinstall lib") || file == "libz.so.1")
    }

    @Test func `a function of a missing library ends the command, in the language of the user`() throws {
        let environment = try without(["libgio-2.0.so.0"]).merging(["LANG": "ja_JP.UTF-8"]) { $1 }
        let devices = try binary.run(["devices"], environment: environment)
        #expect(devices.status == 69)
        #expect(devices.errors.contains("libgio-2.0.so.0 を読み込めません"))
        #expect(devices.errors.contains("`sudo apt install --reinstall libglib2.0-0`"))
    }
}
