import HCI
import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriServer

/// The enrollment of phones.
extension PageData {
    var enrollmentEndpoints: [Endpoint] {
        [
            Endpoint(.get, Route.enrollment, .socket) { exchange in
                .json(await enrollment(), in: exchange.request.language, headers: [.cacheControl: "no-store"])
            },
            Endpoint(.post, Route.enrollment, .socket) { exchange in
                let wanted = try await exchange.value(
                    EnrollmentRequest.self,
                    "{\"name\": …, \"region\": … or null, \"as\": \"heart-rate\" or \"keyboard\"}")
                return .json(try await enroll(wanted), in: exchange.request.language)
            },
            Endpoint(.post, "\(Route.enrollment)/answer", .socket) { exchange in
                let answer = try await exchange.value(
                    EnrollmentAnswer.self, "{\"question\": …, \"agrees\": true or false}")
                return .json(try await answerEnrollment(answer), in: exchange.request.language)
            },
            Endpoint(.delete, Route.enrollment, .socket) { exchange in
                .json(await endEnrollment(), in: exchange.request.language)
            },
        ]
    }

    /// Returns the enrollment of a phone that runs, or the last one.
    func enrollment() async -> EnrollmentReport {
        if let obstacle { return EnrollmentReport(state: .unavailable, reason: LocalizedText(obstacle)) }
        return await enroller?.report ?? EnrollmentReport(state: .unavailable)
    }

    /// Starts the enrollment of a phone, if none runs.
    func enroll(_ request: EnrollmentRequest) async throws(PageFailure) -> EnrollmentReport {
        guard let enroller, let directory, obstacle == nil else {
            throw PageFailure(.conflict, obstacle ?? .noKeyDirectory)
        }
        try await enroller.refuseSecond()
        let job = try Self.job(request) { [self] identity in
            try await store(identity, of: request, in: directory)
        }
        try await pool.run { [self] () throws(PageFailure) in
            // After the pairing a refusal would come too late.
            let edit = try edit(adding: request)
            if let obstacle = edit.obstacle { throw PageFailure(.serviceUnavailable, obstacle) }
            let key = Self.key(of: job.name, in: directory)
            if key.exists {
                throw PageFailure(.conflict, .keyExists, key.path)
            }
        }
        try await enroller.start(job)
        return await enroller.report
    }

    /// Answers a question of the enrollment that runs.
    func answerEnrollment(_ answer: EnrollmentAnswer) async throws(PageFailure) -> EnrollmentReport {
        guard let enroller else { throw PageFailure(.conflict, obstacle ?? .captureForAdapter) }
        try await enroller.answer(answer)
        return await enroller.report
    }

    /// Ends the enrollment, or clears the result of the last one.
    func endEnrollment() async -> EnrollmentReport {
        await enroller?.end()
        return await enrollment()
    }

    /// The reason why this daemon can enroll no phone; `nil` if it can.
    private var obstacle: RefusalPhrase? {
        if enroller == nil { return .captureForAdapter }
        return directory == nil ? .noKeyDirectory : nil
    }

    private static func job(
        _ request: EnrollmentRequest, store: @escaping @Sendable (DeviceIdentity) async throws -> Void
    ) throws(PageFailure) -> PhoneEnroller.Job {
        guard Configuration.isNodeName(request.name) else {
            throw PageFailure(.badRequest, .phoneName)
        }
        guard let profile = request.as.map({ EnrollmentProfile(rawValue: $0) }) ?? .heartRate else {
            let all = EnrollmentProfile.allCases.map(\.rawValue).joined(separator: " or ")
            throw PageFailure(.badRequest, request: .profile, all)
        }
        let (seconds, limits) = (request.timeout ?? PhoneEnroller.usualTimeout, PhoneEnroller.timeouts)
        guard limits.contains(seconds) else {
            throw PageFailure(
                .badRequest, request: .timeout, "\(limits.lowerBound)", "\(limits.upperBound)")
        }
        var job = PhoneEnroller.Job(name: request.name, profile: profile, timeout: .seconds(seconds), store: store)
        job.region = request.region
        return job
    }

    private static func key(of name: String, in directory: String) -> PhoneKeyFile {
        PhoneKeyFile(named: PhoneKeyFile.name(of: name), in: directory)
    }

    /// Writes the key and the region, and has the daemon go by them. Without the region, no key is left.
    private func store(_ identity: DeviceIdentity, of request: EnrollmentRequest, in directory: String)
        async throws(PageFailure)
    {
        try await BlockingThread.run({ PageFailure(BlockingThread.StartError(code: $0)) }) {
            [self] () throws(PageFailure) in
            try RegionFiles.exclusively { () throws(PageFailure) in try write(identity, of: request, in: directory) }
        }
        await reload()
    }

    private func write(
        _ identity: DeviceIdentity, of request: EnrollmentRequest, in directory: String
    ) throws(PageFailure) {
        try refuseKnown(identity)
        let key = Self.key(of: request.name, in: directory)
        try Self.written { () throws(WriteObstacle) in
            try key.write(identity.key.secretText + (identity.address.map { " \($0)" } ?? ""))
        }
        do throws(PageFailure) {
            let edit = try edit(adding: request)
            try Self.written { () throws(WriteObstacle) in try RegionFiles.write([edit]) }
        } catch {
            key.remove()
            throw error
        }
    }

    /// Throws if a region has the phone already: a phone is received by one key file.
    private func refuseKnown(_ identity: DeviceIdentity) throws(PageFailure) {
        let configuration = try Self.permitted { () throws(RegionFiles.Refusal) in
            try files.content().merged.configuration
        }
        if let file = configuration.readPhoneFile(of: identity.key) {
            throw PageFailure(.conflict, .phoneIsEnrolled, file)
        }
    }

    private static func written(_ write: () throws(WriteObstacle) -> Void) throws(PageFailure) {
        do throws(WriteObstacle) { try write() } catch { throw PageFailure(.serviceUnavailable, error) }
    }

    private func edit(adding request: EnrollmentRequest) throws(PageFailure) -> RegionFiles.Edit {
        try Self.permitted { () throws(RegionFiles.Refusal) in
            let content = try files.content()
            guard let region = request.region else { return try files.adding(phone: request.name, in: content) }
            return try files.adding(phone: request.name, to: region, in: content)
        }
    }
}
