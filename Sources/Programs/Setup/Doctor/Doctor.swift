import FoundationEssentials
import Glibc
import OkaeriBluetooth
package import OkaeriClient
import OkaeriConfiguration
package import OkaeriEvents
import OkaeriListening
import OkaeriNetworkManager
import OkaeriPlumbing
import OkaeriWiFi

/// Checks every precondition and gives a fix for each problem.
package struct Doctor: Sendable {
    let configuration: Result<(configuration: Configuration, file: String), ConfigurationError>
    /// The regions in it that the page has saved.
    let saved: SavedReport
    let client: APIClient
    /// The file of the configuration, also if it does not load; `nil` if there is none.
    let file: String?

    package init(configurationFile: String?, client: APIClient) {
        let merged = Result { () throws(ConfigurationError) in
            let file = try Configuration.file(named: configurationFile)
            let directory = SavedRegionsFile.directory(
                of: file, named: nil, environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0)
            return (try MergedConfiguration(file: file, directory: directory), file)
        }
        file = try? Configuration.file(named: configurationFile)
        saved = (try? merged.get().0.saved) ?? SavedReport()
        configuration = merged.map { ($0.0.configuration, $0.1) }
        self.client = client
    }

    /// Looks at everything; each finding as soon as it is known.
    package func examine(_ report: (Finding) -> Void) async {
        setUp.forEach(report)
        referenceFindings.forEach(report)
        let diagnosis = AdapterDiagnosis()
        let adapters = Self.adapterFindings(diagnosis.adapters, named: configured?.adapter)
        adapters.forEach(report)
        Self.permissionFindings(mayScan: diagnosis.mayScan).forEach(report)
        Self.bluetoothd(in: .current).map(report)
        Self.kernelFindings(KernelRelease.running).forEach(report)
        await networkFindings(NetworkManagerService()).forEach(report)
        await desktopFindings().forEach(report)
        switch await answer {
        case .success(let status):
            Self.findings(status, besides: adapters).forEach(report)
            Self.otherScanFindings(status).forEach(report)
            await receiverFindings.forEach(report)
        // The check is for a machine that has no daemon yet, too.
        case .failure(let failure): report(Self.access(failure).asNote)
        }
    }

    var configured: Configuration? { try? configuration.get().configuration }

    var configurationFindings: [Finding] {
        switch configuration {
        case .failure(let error):
            // The sentence of a file that cannot be read names its remedy.
            if error.isOfWholeFile {
                return [.wrong("configuration", error.description, japanese: error.sentence(in: .japanese))]
            }
            let phrase: DoctorPhrase = error.isAbsent ? .noConfiguration : .wrongConfiguration
            return zip(
                error.description.split(separator: "\n"), error.sentence(in: .japanese).split(separator: "\n")
            ).map { .wrong("configuration", phrase, String($0), String($1)) }
        case .success(let (configuration, file)):
            if configuration.regions.isEmpty {
                return [.wrong("configuration", DoctorPhrase.noRegion, file)]
            }
            let regions = configuration.regions.map { "\"\($0.identifier)\"" }.joined(separator: ", ")
            return [.ok("configuration", DoctorPhrase.watches, file, regions)] + savedFindings
        }
    }

    /// Returns the regions that the page has saved.
    private var savedFindings: [Finding] {
        let used = saved.added.union(saved.changed).sorted()
        guard let file = saved.file, !used.isEmpty else { return [] }
        return [.ok("regions", DoctorPhrase.savedRegions, file, used.map { "\"\($0)\"" }.joined(separator: ", "))]
    }

    /// The programs, secrets and addresses that the configuration names.
    var referenceFindings: [Finding] {
        guard case .success(let (configuration, file)) = configuration else { return [] }
        return ConfigurationCheck(configuration, file: file).remarks.map { remark in
            let japanese = "\(remark.finding(in: .japanese)) → \(Language.japanese.value(remark.remedy))"
            let finding = Finding.wrong(
                "configuration", remark.finding(in: .english), remedy: remark.remedy, japanese: japanese)
            return remark.isError ? finding : finding.asNote
        }
    }

    /// - Parameter name: the adapter that is configured; nil: any.
    static func adapterFindings(_ adapters: Result<[Adapter], KernelError>, named name: String?) -> [Finding] {
        let known: [Adapter]
        switch adapters {
        case .failure(let error):
            let japanese = Language.japanese.bluetooth(
                code: error.causeCode, adapter: nil, reason: error.description)
            return [.wrong("adapter", DoctorPhrase.adapterError, error.description, japanese)]
        case .success(let found): known = found
        }
        let wanted = known.filter { name == nil || $0.name == name }
        guard !wanted.isEmpty else {
            let others = known.map(\.name).joined(separator: ", ")
            guard let name else { return [.wrong("adapter", DoctorPhrase.noAdapter)] }
            return [.wrong("adapter", others.isEmpty ? DoctorPhrase.noSuchAdapter : .onlyOthers, name, others)]
        }
        if let up = wanted.first(where: { $0.isUp && $0.hasLowEnergy }) {
            return [.ok("adapter", DoctorPhrase.adapterUp, up.name)]
        }
        if let up = wanted.first(where: \.isUp) {
            return [.wrong("adapter", name == nil ? DoctorPhrase.noLowEnergy : .noLowEnergyNamed, up.name)]
        }
        return wanted.map { adapter in
            switch adapter.radioBlock {
            case .hard: .wrong("rfkill", DoctorPhrase.hardBlocked, adapter.name)
            case .soft: .wrong("rfkill", DoctorPhrase.softBlocked, adapter.name)
            case .none: .wrong("adapter", DoctorPhrase.adapterDown, adapter.name)
            }
        }
    }

    static func permissionFindings(mayScan: Bool?) -> [Finding] {
        switch mayScan {
        case true?: [.ok("permission", DoctorPhrase.mayScan)]
        case nil: [.note("permission", DoctorPhrase.scanUnknown)]
        case false?: [.wrong("permission", DoctorPhrase.mayNotScan)]
        }
    }

    /// It is welcome, and not needed. A container has no processes of the machine: it is not known there whether bluetoothd runs.
    static func bluetoothd(in installation: Installation) -> Finding? {
        guard installation == .machine else { return nil }
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let runs = processes.contains { process in
            guard process.allSatisfy(\.isNumber),
                let name = FileManager.default.contents(atPath: "/proc/\(process)/comm")
            else { return false }
            return name.elementsEqual("bluetoothd\n".utf8)
        }
        return runs
            ? .ok("bluetoothd", DoctorPhrase.bluetoothdRuns) : .note("bluetoothd", DoctorPhrase.noBluetoothd)
    }

    var answer: Result<StatusReport, APIClient.Failure> {
        get async {
            do throws(APIClient.Failure) {
                return .success(try await client.get(Route.status))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns the findings of a daemon, by the names that its subjects have here.
    ///
    /// - Parameter adapters: The doctor's own findings of the adapters.
    static func findings(_ status: StatusReport, besides adapters: [Finding]) -> [Finding] {
        let isAdapterWrong = adapters.contains { $0.verdict == .wrong }
        let findings = status.allFindings.filter { !isAdapterWrong || $0.code != Finding.Code.notPoweredOn.rawValue }
        return findings.map { finding in
            var titled = Finding(
                titles[finding.subject] ?? finding.subject, finding.verdict, nil, finding.sentence,
                remedy: finding.remedy)
            titled.japanese = finding.translation
            return titled
        }
    }

    private static let titles = [
        "mqtt": "MQTT", "web": "page", "configuration": "reload", "exitTime": "exit time",
    ]
}

// MARK: Wi-Fi

extension Doctor {
    /// The time limit for NetworkManager's first answer.
    private static let timeout = Duration.seconds(3)

    func networkFindings(_ wifi: some WiFiService) async -> [Finding] {
        // A file with a mistake may name networks.
        guard let configured else { return [] }
        let networks = configured.regions.compactMap(\.network).filter { $0.join != .off }
        guard !networks.isEmpty else { return [.note("Wi-Fi", DoctorPhrase.noNetwork)] }
        return await withTaskGroup(of: [Finding]?.self) { group in
            let service = ThreadService(loop: { wifi.run() }, stop: { wifi.stop() }, endsWithLoop: true)
            group.addTask {
                try? await service.run()
                return nil
            }
            group.addTask { await Self.findings(wifi, networks) }
            var findings: [Finding] = []
            for await found in group {
                guard let found else { continue }
                findings = found
                wifi.stop()
            }
            return findings
        }
    }

    private static func findings(_ wifi: some WiFiService, _ networks: [HomeNetwork]) async -> [Finding] {
        let state = await firstAnswer(wifi)
        guard state.managerRunning else {
            let failure = JoinFailure.noNetworkManager
            return [
                .wrong("NetworkManager", DoctorPhrase.noNetworkManager, failure.description, failure.japanese)
            ]
        }
        var findings = [
            state.device.map { Finding.ok("NetworkManager", DoctorPhrase.networkManagerDevice, $0) }
                ?? .ok("NetworkManager", DoctorPhrase.networkManager)
        ]
        for network in Set(networks) {
            let subject = "network “\(network.ssid)”"
            switch await wifi.condition(of: network) {
            case .alreadyConnected: findings.append(.ok(subject, DoctorPhrase.connected))
            case .connecting: findings.append(.ok(subject, DoctorPhrase.connecting))
            case .ready(let readiness):
                let isSaved = readiness.credentials == .savedProfile
                findings.append(.ok(subject, isSaved ? DoctorPhrase.savedProfile : .passphraseFile))
            case .switchedOff:
                findings.append(note(subject, .radioOff))
            case .unavailable(let failure):
                let isPassing = failure.code == .notInSight || failure.code == .connectedElsewhere
                findings.append(
                    isPassing
                        ? note(subject, failure)
                        : .wrong(subject, failure.description, japanese: failure.japanese))
            }
        }
        return findings
    }

    private static func note(_ subject: String, _ failure: JoinFailure) -> Finding {
        .note(subject, failure.description, japanese: failure.japanese)
    }

    private static func firstAnswer(_ wifi: some WiFiService) async -> WiFiState {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in wifi.states() where state.managerRunning { return } }
            group.addTask { try? await Task.sleep(for: timeout) }
            await group.next()
            group.cancelAll()
        }
        return wifi.state
    }
}

extension JoinFailure {
    /// The cause and the remedy in Japanese.
    fileprivate var japanese: String { code.japanese(description) }
}

// MARK: - The scan of another program

extension Doctor {
    /// The part of the time from which on a scan of another program serves presence as the daemon's own one does.
    private static let sufficientShare = 0.5

    /// Returns the scan of another program that the daemon uses as it is: the advertisements of one scan reach both programs.
    static func otherScanFindings(_ status: StatusReport) -> [Finding] {
        guard let scan = status.bluetooth.scan, scan.isOfOtherProgram else { return [] }
        let isRare = scan.share < sufficientShare
        let percent = Int((min(max(scan.share, 0), 1) * 100).rounded())
        return [
            Finding(
                "bluetooth", isRare ? .note : .ok, isRare ? DoctorPhrase.otherScanRare : .otherScan,
                [status.bluetooth.adapter ?? "Bluetooth", "\(percent)"])
        ]
    }
}
