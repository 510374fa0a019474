import FoundationEssentials
import HTTPTypes
import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriServer

/// The configuration, as it is read and changed.
extension PageData {
    var configurationEndpoints: [Endpoint] {
        let region = "\(Route.configuration)/region"
        return [
            Endpoint(.get, Route.configuration, .readers) { exchange in
                .json(try await configuration(), in: exchange.request.language)
            },
            Endpoint(.post, region, .socket) { exchange in
                let body = try await exchange.body(upTo: Self.largestRegion, of: "a region")
                let report = try await set(body, by: exchange.session)
                return .json(report, in: exchange.request.language)
            },
            Endpoint(.post, "\(Route.configuration)/room", .socket) { exchange in
                let report = try await set(room: try await exchange.body(upTo: Self.largestRegion, of: "a region"))
                return .json(report, in: exchange.request.language)
            },
            Endpoint(.post, "\(region)/signs", .socket) { exchange in
                let report = try await add(sign: try await exchange.body(upTo: Self.largestRegion, of: "a sign"))
                return .json(report, in: exchange.request.language)
            },
            Endpoint(.delete, "\(region)/signs", .socket) { exchange in
                let path = "\(region)/signs"
                let sign = try exchange.query(
                    Route.sign, or: .noSign, "\(path)?\(Route.region)=ID&\(Route.sign)=NAME")
                let report = try await remove(sign: sign, of: try Self.region(exchange, of: path))
                return .json(report, in: exchange.request.language)
            },
            Endpoint(.delete, region, .socket) { exchange in
                .json(try await remove(region: try Self.region(exchange, of: region)), in: exchange.request.language)
            },
            Endpoint(.delete, "\(region)/changes", .socket) { exchange in
                let report = try await removeChanges(of: try Self.region(exchange, of: "\(region)/changes"))
                return .json(report, in: exchange.request.language)
            },
        ]
    }

    /// A region with all that can be set of it.
    private static let largestRegion = 64 << 10

    private static func region(_ exchange: Exchange, of path: String) throws(PageFailure) -> String {
        try exchange.query(Route.region, or: .noRegion, "\(path)?\(Route.region)=ID")
    }

    var files: RegionFiles { RegionFiles(file: file, directory: directory, user: user) }

    func configuration() async throws(PageFailure) -> ConfigurationReport {
        try await pool.run { [file, files] () throws(PageFailure) in
            let content = try Self.content(of: files)
            let obstacle = files.obstacle
            var report = try Self.report(file, content.text, obstacle)
            report.regions = content.merged.configuration.regions.map { files.report($0, in: content) }
            report.room = content.merged.configuration.node.room
            report.problems = content.merged.saved.problems.isEmpty ? nil : content.merged.saved.problems
            return report
        }
    }

    /// - Parameter session: That of the client; `nil` for one of the socket.
    func set(_ request: [UInt8], by session: Logins.Session? = nil) async throws(PageFailure) -> ConfigurationReport {
        let request = try Self.request(request)
        // The network of a region leads to its passphrase.
        if let session, session.rights < .all, request.patch["wifi"] != nil {
            throw PageFailure(.forbidden, .notListed, session.account)
        }
        return try await change(isDry: request.isDry) { files, content throws(RegionFiles.Refusal) in
            try files.setting(request.patch, name: request.name, isDry: request.isDry, in: content)
        }
    }

    func set(room request: [UInt8]) async throws(PageFailure) -> ConfigurationReport {
        let room: String?
        do throws(ConfigurationError) {
            guard case .object(let members) = try JSONNode(json: request, file: "the request").value,
                members.count == 1,
                let node = members.first?.node, members[0].key == "room"
            else {
                throw ConfigurationError(
                    file: "the request", place: "the object", found: "no room, or more than it",
                    expected: "room alone: its name, or null")
            }
            room = if case .null = node.value { nil } else { try SavedRegions.room(node) }
        } catch {
            throw PageFailure(.badRequest, error)
        }
        return try await change { files, content throws(RegionFiles.Refusal) in
            try files.setting(room: room, in: content)
        }
    }

    /// Adds the beacons of a request to a region that exists.
    func add(sign request: [UInt8]) async throws(PageFailure) -> ConfigurationReport {
        let sign: RegionPatch
        do throws(ConfigurationError) {
            sign = try RegionPatch.sign(of: try JSONNode(json: request, file: "the request"))
        } catch {
            throw PageFailure(.badRequest, error)
        }
        return try await change { files, content throws(RegionFiles.Refusal) in
            [try files.adding(sign: sign, in: content)]
        }
    }

    func remove(sign: String, of region: String) async throws(PageFailure) -> ConfigurationReport {
        try await change { files, content throws(RegionFiles.Refusal) in
            try files.removing(sign: sign, from: region, in: content)
        }
    }

    func remove(region: String) async throws(PageFailure) -> ConfigurationReport {
        try await change { files, content throws(RegionFiles.Refusal) in
            try files.removing(region, from: content)
        }
    }

    func removeChanges(of region: String) async throws(PageFailure) -> ConfigurationReport {
        try await change { files, content throws(RegionFiles.Refusal) in
            [try files.removingChanges(of: region, from: content)]
        }
    }

    /// Writes the files that `edit` returns, and has the daemon go by them.
    ///
    /// - Returns: A report of the last of them.
    func change(
        isDry: Bool = false,
        _ edit: @escaping @Sendable (RegionFiles, RegionFiles.Content) throws(RegionFiles.Refusal) -> [RegionFiles.Edit]
    ) async throws(PageFailure) -> ConfigurationReport {
        let report = try await pool.run { [files] () throws(PageFailure) in
            try RegionFiles.exclusively { () throws(PageFailure) in try Self.write(edit, files, isDry: isDry) }
        }
        if report.written == true { await reload() }
        return report
    }

    private static func write(
        _ edit: (RegionFiles, RegionFiles.Content) throws(RegionFiles.Refusal) -> [RegionFiles.Edit],
        _ files: RegionFiles, isDry: Bool
    ) throws(PageFailure) -> ConfigurationReport {
        let edits = try permitted { () throws(RegionFiles.Refusal) in try edit(files, try files.content()) }
        guard let last = edits.last else { throw PageFailure(.notFound, .noSuchRegion) }
        let obstacle = edits.lazy.compactMap(\.obstacle).first
        var report = try report(last.path, last.text, obstacle)
        report.written = false
        guard !isDry, obstacle == nil else { return report }
        do throws(WriteObstacle) {
            try RegionFiles.write(edits)
            report.written = true
        } catch {
            if error.problem == .changed { throw PageFailure(.conflict, error) }
            report.reason = LocalizedText(error)
        }
        return report
    }

    static func content(of files: RegionFiles) throws(PageFailure) -> RegionFiles.Content {
        try permitted { () throws(RegionFiles.Refusal) in try files.content() }
    }

    static func permitted<Value>(
        _ body: () throws(RegionFiles.Refusal) -> Value
    ) throws(PageFailure) -> Value {
        do throws(RegionFiles.Refusal) {
            return try body()
        } catch {
            throw switch error {
            case .invalid(let error): PageFailure(.badRequest, error)
            case .unreadable(let error): PageFailure(.serviceUnavailable, error)
            case .forbidden(let sentence): PageFailure(.forbidden, sentence)
            case .unknown(let sentence): PageFailure(.notFound, sentence)
            case .name(let sentence): PageFailure(.badRequest, sentence)
            }
        }
    }

    private static func report(
        _ file: String, _ text: String, _ obstacle: WriteObstacle?
    ) throws(PageFailure) -> ConfigurationReport {
        let shown: CommandRedaction
        do throws(ConfigurationError) {
            shown = try CommandRedaction(text, file: file)
        } catch {
            throw PageFailure(.serviceUnavailable, error)
        }
        return ConfigurationReport(
            file: file, writable: obstacle == nil, reason: obstacle.map { LocalizedText($0) }, text: shown.text,
            redacted: shown.isRedacted)
    }

    /// A change of a region, as the page sends it.
    struct RegionRequest: Sendable {
        var patch: RegionPatch
        /// A new name for the region.
        var name: String?
        var isDry: Bool
    }

    static func request(_ bytes: [UInt8]) throws(PageFailure) -> RegionRequest {
        do throws(ConfigurationError) {
            let request = try JSONNode(json: bytes, file: "the request")
            guard let region = request["region"] else {
                throw ConfigurationError(
                    file: "the request", place: "region", found: "nothing", expected: "a region as beacons.json has it")
            }
            let dry = request["dry"]?.value
            let isDry = if case .bool(false)? = dry { false } else { dry != nil }
            let name = request["name"]
            if let name, name.value.string == nil {
                throw ConfigurationError(
                    file: "the request", place: "name", found: name.summary, expected: "the new name of the region")
            }
            return RegionRequest(
                patch: try RegionPatch(region, place: "region"), name: name?.value.string, isDry: isDry)
        } catch {
            throw PageFailure(.badRequest, error)
        }
    }
}
