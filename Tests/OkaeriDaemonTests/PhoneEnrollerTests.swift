import BlueZ
import FoundationEssentials
import Glibc
import HCI
import HTTPTypes
import OkaeriBluetooth
import OkaeriDBus
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import ServiceLifecycle
import SystemPackage
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriServer

/// The page enrolls a phone, with a simulated bluetoothd and a socket in place of the kernel's.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PhoneEnrollerTests {
    private static let phone = "70_81_94_0D_FB_AA"
    private static let digits = "ec0234a357c8ad05341010a60a397d9b"
    private let folder: TemporaryFolder
    private let bus: BusDaemon
    private let book = LogBook()
    private let reloads = Watched(0)
    /// The kernel's ends of the sockets that were opened.
    private let kernel = Watched<[Int32]>([])

    init() throws {
        (folder, bus) = (try TemporaryFolder(), try BusDaemon())
        _ = try folder.file("beacons.json", Array(#"{"regions": []}"#.utf8))
    }

    private func ties(mayPair: Bool = true) -> PhoneEnroller.Dependencies {
        var ties = PhoneEnroller.Dependencies()
        ties.bus = bus.address
        ties.checkRight = { () throws(KernelError) in if !mayPair { throw KernelError(.manage, code: EPERM) } }
        ties.watch = { [kernel] index throws(KernelError) in
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
            let own = ends[0]
            kernel.change { $0.append(own) }
            return try KeyWatch(
                socket: ManagementSocket(owning: OwnedDescriptor(owning: ends[1])), adapter: index)
        }
        ties.receptions = { region, phone in region == "anna" && phone == "anna" ? (3, -62) : nil }
        return ties
    }

    /// The kernel has received the key of the phone.
    private func sendKey() throws {
        let number = try #require(kernel.value.last)
        let address: [UInt8] = [3, 2, 1, 0x32, 0xA6, 0xDC]
        let key = try #require([UInt8](hexadecimal: Self.digits))
        let event = [0x18, 0, 0, 0, 30, 0, 1] + [UInt8](repeating: 0, count: 6) + address + [1] + key.reversed()
        #expect(write(number, event, event.count) == event.count)
    }

    private func properties(_ more: [String: DBusValue] = [:]) -> [String: DBusValue] {
        [
            "Address": .string("70:81:94:0D:FB:AA"), "AddressType": .string("random"), "Connected": .boolean(true),
            "Name": .string("Anna's\u{1B}[2J phone"), "Paired": .boolean(false),
        ].merging(more) { $1 }
    }

    private func page(_ enroller: PhoneEnroller?, directory: Bool = true) -> PageData {
        PageData(
            directory: directory ? folder.path : nil, file: "\(folder.path)/beacons.json",
            wifi: SimulatedWiFi(inSight: []), now: { 0 }, reload: { [reloads] in reloads.change { $0 += 1 } },
            user: geteuid(), enroller: enroller)
    }

    /// Runs an enroller while `body` uses the page.
    private func enrolling(mayPair: Bool = true, _ body: (PageData) async throws -> Void) async throws {
        let enroller = PhoneEnroller(ties(mayPair: mayPair), logger: book.logger)
        let task = Task { try await enroller.run() }
        defer { task.cancel() }
        let page = page(enroller)
        try await eventually("the service runs") { await enroller.isServing }
        try await body(page)
        task.cancel()
        _ = await task.result
    }

    private func wait(_ page: PageData, until state: EnrollmentReport.State) async throws -> EnrollmentReport {
        var report = await page.enrollment()
        try await eventually("the state is \(state)") {
            report = await page.enrollment()
            return report.state == state || report.state == .failed
        }
        // A failure is the end of the enrollment: its reason is the finding, and no wait would change it.
        try #require(report.state == state, "\(report.reason?.english ?? "")")
        return report
    }

    private func failure<Value>(_ body: () async throws(PageFailure) -> Value) async -> PageFailure? {
        do throws(PageFailure) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat("\(folder.path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data(), as: UTF8.self)
    }

    // MARK: - The way to the region

    @Test func `a phone pairs after its digits are confirmed, and becomes a region with a key of mode 0600`()
        async throws
    {
        let bluetoothd = try await Bluetoothd(bus.address)
        var answers: [EnrollmentReport] = []
        try await enrolling { page in
            answers.append(await page.enrollment())
            #expect(answers[0].state == .idle)
            answers.append(try await page.enroll(EnrollmentRequest(name: "anna")))
            #expect(answers[1].name == "anna" && answers[1].as == "heart-rate" && answers[1].secondsLeft ?? 0 > 100)
            answers.append(try await wait(page, until: .advertising))
            #expect(answers[2].advertised?.hasPrefix("Okaeri ") == true)
            #expect(bluetoothd.pairing.value.isPairable && bluetoothd.pairing.value.capability == "DisplayYesNo")
            #expect(try await bluetoothd.isAdvertising)
            try await bluetoothd.device(Self.phone, properties())
            _ = try await wait(page, until: .pairing)
            async let isAgreed = bluetoothd.request(from: Self.phone, number: 4711)
            try await eventually("the question is asked") { await page.enrollment().question != nil }
            let question = try #require(await page.enrollment().question)
            #expect(question.digits == "004711" && question.device == "Anna's [2J phone")
            answers.append(try await page.answerEnrollment(EnrollmentAnswer(question: question.id, agrees: true)))
            #expect(try await isAgreed)
            #expect(await page.enrollment().question == nil)
            try sendKey()
            try await bluetoothd.device(
                Self.phone, properties(["Address": .string("DC:A6:32:01:02:03"), "Paired": .boolean(true)]))
            answers.append(try await wait(page, until: .settling))
            try await bluetoothd.device(Self.phone, ["Connected": .boolean(false)])
            answers.append(try await wait(page, until: .done))
            #expect(answers.last?.reception?.count == 3 && answers.last?.reception?.rssi == -62)
            #expect(answers.last?.device == "Anna's [2J phone")
            // The bond is kept, and the adapter is as before.
            #expect(!bluetoothd.pairing.value.isPairable && bluetoothd.pairing.value.agent == nil)
            #expect(bluetoothd.pairing.value.devices.count == 1)
            #expect(try await !bluetoothd.isAdvertising)

            #expect(reloads.value == 1 && mode("anna.irk") == 0o600)
            #expect(text("anna.irk").lowercased() == "\(Self.digits) dc:a6:32:01:02:03\n")
            #expect(text("regions.json").contains(#"{"identifier": "anna", "phone": "anna.irk"}"#))
            var merged = try MergedConfiguration(file: "\(folder.path)/beacons.json", directory: folder.path)
                .configuration
            try merged.readIdentities(file: "")
            #expect(merged.identities["\(folder.path)/anna.irk"]?.key.secretText.lowercased() == Self.digits)
            #expect(merged.regions.first?.monitored.otherSigns == "is a phone")

            let report = try await page.configuration()
            #expect(report.regions?.first?.fixed == false)
            let outputs = [report.text, text("regions.json")] + answers.map { JSON.line($0) } + book.text
            for output in outputs {
                #expect(!output.lowercased().contains(Self.digits.prefix(12)), "\(output)")
                #expect(!output.contains("DC:A6:32:01:02:03"), "\(output)")
            }
            #expect(await page.endEnrollment().state == .idle)

            let second = await failure { () throws(PageFailure) in
                try await page.enroll(EnrollmentRequest(name: "anna"))
            }
            #expect(second?.status == .badRequest && second?.sentence.contains("a region anna already") == true)
            _ = try await page.remove(region: "anna")
            #expect(mode("anna.irk") == nil && !text("regions.json").contains("anna"))
        }
    }

    @Test func `digits that differ are rejected, and the end restores the adapter and its bonds`() async throws {
        let bluetoothd = try await Bluetoothd(bus.address)
        try await enrolling { page in
            _ = try await page.enroll(EnrollmentRequest(name: "anna", as: "keyboard"))
            _ = try await wait(page, until: .advertising)
            let second = await failure { () throws(PageFailure) in
                try await page.enroll(EnrollmentRequest(name: "bob"))
            }
            #expect(second?.status == .conflict)
            try await bluetoothd.device(Self.phone, properties())
            async let isAgreed = bluetoothd.request(from: Self.phone, number: 7)
            try await eventually("the question is asked") { await page.enrollment().question != nil }
            let id = try #require(await page.enrollment().question?.id)
            let other = await failure { () throws(PageFailure) in
                try await page.answerEnrollment(EnrollmentAnswer(question: id + 1, agrees: true))
            }
            #expect(other?.status == .conflict)
            _ = try await page.answerEnrollment(EnrollmentAnswer(question: id, agrees: false))
            #expect(try await !isAgreed)
            // A question without an answer is rejected at the end.
            async let unanswered = bluetoothd.request(from: Self.phone, number: nil)
            try await eventually("the question is asked") { await page.enrollment().question != nil }
            #expect(await page.endEnrollment().state == .ending)
            #expect(try await !unanswered)
            let report = try await wait(page, until: .failed)
            #expect(report.problem == .ended)
            #expect(!bluetoothd.pairing.value.isPairable && bluetoothd.pairing.value.devices.isEmpty)
            #expect(try await !bluetoothd.isAdvertising)
            #expect(mode("anna.irk") == nil && mode("regions.json") == nil && reloads.value == 0)
        }
    }

    @Test func `the end of the daemon ends the pairing and restores the adapter`() async throws {
        let bluetoothd = try await Bluetoothd(bus.address)
        try await enrolling { page in
            _ = try await page.enroll(EnrollmentRequest(name: "anna"))
            _ = try await wait(page, until: .advertising)
        }
        #expect(!bluetoothd.pairing.value.isPairable && bluetoothd.pairing.value.agent == nil)
        #expect(try await !bluetoothd.isAdvertising)
    }

    @Test func `without bluetoothd the enrollment fails with a sentence`() async throws {
        try await enrolling { page in
            _ = try await page.enroll(EnrollmentRequest(name: "anna"))
            let report = try await wait(page, until: .failed)
            #expect(report.problem == .bluetooth && report.reason?.english.contains("bluetooth") == true, "\(report)")
        }
    }

    // MARK: - A command

    private struct NoPlace: Error {}

    /// Enrolls a phone as `okaeri enroll` does, without a question.
    private func enroll(
        _ bluetoothd: Bluetoothd, _ enroller: PhoneEnroller,
        store: @escaping @Sendable (DeviceIdentity) async throws -> Void
    ) async throws {
        let job = PhoneEnroller.Job(
            name: "anna", profile: .keyboard, timeout: .seconds(60), forgets: true, store: store)
        let enrollment = Task { try await enroller.enroll(job) }
        try await eventually("it advertises") { await enroller.report.state == .advertising }
        #expect(bluetoothd.pairing.value.capability == "NoInputNoOutput")
        try await bluetoothd.device(Self.phone, properties())
        try await eventually("the phone is connected") { await enroller.report.state == .pairing }
        #expect(try await bluetoothd.request(from: Self.phone, number: nil))
        #expect(await enroller.report.question == nil)
        try sendKey()
        try await bluetoothd.device(
            Self.phone, properties(["Address": .string("DC:A6:32:01:02:03"), "Paired": .boolean(true)]))
        try await eventually("the phone has paired") { await enroller.report.state == .settling }
        try await bluetoothd.device(Self.phone, ["Connected": .boolean(false)])
        try await enrollment.value
    }

    private func commandTies(_ steps: Watched<[EnrollmentReport.State]>) -> PhoneEnroller.Dependencies {
        var ties = ties()
        ties.capability = .noInputNoOutput
        ties.confirm = { _ in true }
        ties.observe = { report, _ in steps.change { $0.append(report.state) } }
        return ties
    }

    @Test func `a command confirms by itself, follows each step once, and has a place of its own`() async throws {
        let bluetoothd = try await Bluetoothd(bus.address)
        let (steps, stored) = (Watched<[EnrollmentReport.State]>([]), Watched<[DeviceIdentity]>([]))
        let enroller = PhoneEnroller(commandTies(steps), logger: book.logger)
        try await enroll(bluetoothd, enroller) { identity in stored.change { $0.append(identity) } }
        #expect(steps.value == [.preparing, .advertising, .pairing, .settling])
        #expect(stored.value.map { $0.key.secretText.lowercased() } == [Self.digits])
        #expect(await enroller.report.state == .done)
        #expect(await enroller.phone?.device.address == "DC:A6:32:01:02:03")
        #expect(!bluetoothd.pairing.value.isPairable && bluetoothd.pairing.value.agent == nil)
        #expect(bluetoothd.pairing.value.devices.isEmpty, "the bond is removed")
    }

    @Test func `a place that fails ends the command with its error`() async throws {
        let bluetoothd = try await Bluetoothd(bus.address)
        let enroller = PhoneEnroller(commandTies(Watched([])), logger: book.logger)
        await #expect(throws: NoPlace.self) { try await enroll(bluetoothd, enroller) { _ in throw NoPlace() } }
        #expect(await enroller.report.problem == .notWritten)
    }

    @Test func `a command that is cancelled restores the adapter and stores nothing`() async throws {
        let bluetoothd = try await Bluetoothd(bus.address)
        let stored = Watched(0)
        let enroller = PhoneEnroller(commandTies(Watched([])), logger: book.logger)
        let job = PhoneEnroller.Job(name: "anna", profile: .heartRate, timeout: .seconds(60)) { _ in
            stored.change { $0 += 1 }
        }
        let enrollment = Task { try await enroller.enroll(job) }
        try await eventually("it advertises") { await enroller.report.state == .advertising }
        enrollment.cancel()
        await #expect(throws: (any Error).self) { try await enrollment.value }
        #expect(await enroller.report.problem == .ended && stored.value == 0)
        #expect(!bluetoothd.pairing.value.isPairable && bluetoothd.pairing.value.agent == nil)
        #expect(try await !bluetoothd.isAdvertising)
    }

    // MARK: - Refusals

    @Test func `without the right, an adapter or a state directory, the request is refused with a sentence`()
        async throws
    {
        let request = EnrollmentRequest(name: "anna")
        try await enrolling(mayPair: false) { page in
            let failure = await failure { () throws(PageFailure) in try await page.enroll(request) }
            #expect(
                failure?.status == .serviceUnavailable && failure?.sentence.contains("sudo okaeri enroll anna") == true)
            #expect(await page.enrollment().state == .idle)
        }
        let idle = PhoneEnroller(ties(), logger: book.logger)
        for (page, status, word) in [
            (page(nil), HTTPResponse.Status.conflict, "capture"),
            (page(idle, directory: false), .conflict, "--state-dir"), (page(idle), .serviceUnavailable, "starts"),
        ] {
            let failure = await failure { () throws(PageFailure) in try await page.enroll(request) }
            #expect(failure?.status == status && failure?.sentence.contains(word) == true, "\(word)")
        }
        let report = await page(nil).enrollment()
        #expect(report.state == .unavailable && report.reason?.english.contains("capture") == true)
    }

    @Test(arguments: [
        EnrollmentRequest(name: "../anna"), .init(name: ""), .init(name: "a b"), .init(name: "anna", as: "mouse"),
        .init(name: "anna", timeout: 9), .init(name: "anna", timeout: 601),
    ])
    func `a name that is not a file name, another device and another time limit are refused`(
        _ request: EnrollmentRequest
    ) async throws {
        try await enrolling { page in
            let failure = await failure { () throws(PageFailure) in try await page.enroll(request) }
            #expect(failure?.status == .badRequest)
        }
    }

    @Test func `a key file that is there, also as a link, is never replaced`() async throws {
        let target = try folder.file("target", Array("mine".utf8))
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/anna.irk", withDestinationPath: target)
        try await enrolling { page in
            let failure = await failure { () throws(PageFailure) in
                try await page.enroll(EnrollmentRequest(name: "anna"))
            }
            #expect(failure?.status == .conflict && failure?.sentence.contains("anna.irk") == true)
        }
        let key = PhoneKeyFile(named: "anna.irk", in: folder.path)
        #expect(throws: WriteObstacle(file: key.path, problem: .failed(.fileExists))) { try key.write(Self.digits) }
        #expect(text("target") == "mine")
    }

    @Test func `a region that cannot be written leaves no key`() async throws {
        let bluetoothd = try await Bluetoothd(bus.address)
        try await enrolling { page in
            _ = try await page.enroll(EnrollmentRequest(name: "anna"))
            _ = try await wait(page, until: .advertising)
            // The region is there meanwhile.
            _ = try folder.file(
                "beacons.json",
                Array(
                    #"{"regions": [{"identifier": "anna", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}]}"#.utf8))
            try await bluetoothd.device(Self.phone, properties())
            _ = try await wait(page, until: .pairing)
            try sendKey()
            try await bluetoothd.device(
                Self.phone,
                properties([
                    "Address": .string("DC:A6:32:01:02:03"), "Paired": .boolean(true), "Connected": .boolean(false),
                ]))
            let report = try await wait(page, until: .failed)
            #expect(report.problem == .notWritten && mode("anna.irk") == nil && mode("regions.json") == nil)
        }
    }
}
