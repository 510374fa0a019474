import ArgumentParser
import OkaeriEvents
import OkaeriSetup

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check every precondition, and name the command that fixes it.",
        discussion: """
            Exit status 0 if nothing is wrong, else 1. --json prints an object a line: subject, verdict (ok, note or wrong), \
            finding and fix. --report writes the findings with the versions, the shape of the configuration \
            and the latest lines of the journal into a new file, for a bug report. In the place of names, addresses and paths it \
            has placeholders, and it has no secrets. Read it before you send it.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var socket: SocketOptions

    @Option(help: ArgumentHelp("Also write a report without names and addresses.", valueName: "file"))
    var report: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        if !json { print("okaeri \(Version())") }
        var isWell = true
        let doctor = Doctor(configurationFile: config.file, client: socket.client)
        var findings: [Finding] = []
        await doctor.examine { finding in
            isWell = isWell && finding.verdict != .wrong
            findings.append(finding)
            print(json ? JSON.line(finding) : finding.text(in: Terminal.language))
        }
        if let report { try await write(findings, of: doctor, to: report) }
        if !isWell { throw ExitCode.failure }
    }

    private func write(_ findings: [Finding], of doctor: Doctor, to file: String) async throws {
        let report = await DoctorReport(findings, of: doctor, version: "okaeri \(Version())")
        do throws(DoctorReport.WriteFailure) {
            try report.write(to: file)
            Terminal.printNotice("the report is in \(file); read it before you send it")
        } catch {
            throw CommandFailure(error.description, status: Exit.ioError)
        }
    }
}
