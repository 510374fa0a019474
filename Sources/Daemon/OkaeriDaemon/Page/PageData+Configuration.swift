import Events
import OkaeriConfiguration
import HTTPTypes
import Plumbing
import Server

/// The configuration, as it is read and changed.
extension PageData {
    func configuration() async throws(PageFailure) -> ConfigurationReport {
        try await pool.run { [file] () throws(PageFailure) in
            let configuration = ConfigurationFile(file)
            return try Self.report(configuration, try Self.text(of: configuration) ?? "")
        }
    }

    func set(_ request: [UInt8]) async throws(PageFailure) -> ConfigurationReport {
        let (draft, isDry) = try Self.request(request)
        let report = try await pool.run { [file] () throws(PageFailure) in
            let configuration = ConfigurationFile(file)
            let old = try Self.text(of: configuration)
            let text: String
            let movesHooks: Bool
            do throws(ConfigurationError) {
                text = try ConfigurationText(old, file: file).setting(draft)
                movesHooks = try Self.movesHooks(of: draft.identifier, from: old, to: text, in: file)
            } catch {
                throw PageFailure(.badRequest, "\(error)")
            }
            var report = try Self.report(configuration, text)
            report.written = false
            guard !isDry, report.writable else { return report }
            guard !movesHooks else { throw PageFailure(.forbidden, Self.refusal(draft.identifier, file)) }
            do throws(WriteObstacle) {
                try configuration.write(text, replacing: old)
                report.written = true
            } catch {
                if error.problem == .changed { throw PageFailure(.conflict, error.description) }
                report.reason = error.description
            }
            return report
        }
        if report.written == true { await reload() }
        return report
    }

    /// Returns whether a region that runs commands is to mean other beacons. A login must not decide which beacon runs them.
    static func movesHooks(
        of identifier: String, from old: String?, to new: String, in file: String
    ) throws(ConfigurationError) -> Bool {
        func region(_ text: String?) throws(ConfigurationError) -> Configuration.Region? {
            try ConfigurationText(text, file: file).regions().first { $0.identifier == identifier }
        }
        guard let before = try region(old), let after = try region(new) else { return false }
        return before.hasCommands && !before.hasSameBeacons(as: after)
    }

    private static func refusal(_ identifier: String, _ file: String) -> String {
        "cannot change the beacon of \(identifier) from the page: the region runs commands; change it on the machine, with "
            + "`sudo okaeri setup` or in \(file)"
    }

    private static func text(of configuration: ConfigurationFile) throws(PageFailure) -> String? {
        do throws(ConfigurationError) {
            return try configuration.text()
        } catch {
            throw PageFailure(.serviceUnavailable, "\(error)")
        }
    }

    private static func report(
        _ file: ConfigurationFile, _ text: String
    ) throws(PageFailure) -> ConfigurationReport {
        let shown: CommandRedaction
        do throws(ConfigurationError) {
            shown = try CommandRedaction(text, file: file.path)
        } catch {
            throw PageFailure(.serviceUnavailable, "\(error)")
        }
        let obstacle = file.obstacle
        return ConfigurationReport(
            file: file.path, writable: obstacle == nil, reason: obstacle?.description, text: shown.text,
            redacted: shown.isRedacted)
    }

    static func request(_ bytes: [UInt8]) throws(PageFailure) -> (draft: RegionDraft, isDry: Bool) {
        do throws(ConfigurationError) {
            let request = try JSONNode(json: bytes, file: "the request")
            guard let region = request["region"] else {
                throw ConfigurationError(
                    file: "the request", place: "region", found: "nothing", expected: "a region as beacons.json has it")
            }
            let dry = request["dry"]?.value
            let isDry = if case .bool(false)? = dry { false } else { dry != nil }
            return (try RegionDraft(region, place: "region"), isDry)
        } catch {
            throw PageFailure(.badRequest, "\(error)")
        }
    }
}
