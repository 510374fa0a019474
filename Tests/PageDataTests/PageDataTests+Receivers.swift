import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHouse
import OkaeriReceivers
import OkaeriServer
import OkaeriTestSupport
import OkaeriWiFi
import Synchronization
import Testing

@testable import OkaeriDaemon

/// The receivers of other makes that the page offers.
extension PageDataTests {
    /// A daemon of the package, at a broker with two receivers.
    private func packaged(_ searches: Reloads = Reloads()) -> PageData {
        var page = PageData(
            directory: folder.path, file: file, wifi: SimulatedWiFi(inSight: []), now: { Self.now },
            reload: { [reloads] in reloads.count.withLock { $0 += 1 } }, user: 4321)
        page.search = ReceiverSearch { _ in
            searches.count.withLock { $0 += 1 }
            var directory = ReceiverDirectory()
            for name in ["bath", "kitchen"] {
                directory.receive(
                    topic: "espresense/rooms/\(name)/status", payload: Array("online".utf8), isRetained: true)
            }
            return directory
        }
        return page
    }

    private static let house = #"{"mqtt": {"host": "localhost"}, "regions": []}"#

    private func used() throws -> [String] {
        let configuration = try MergedConfiguration(file: file, directory: folder.path).configuration
        return configuration.receivers.flatMap { $0.rooms?.keys.sorted() ?? ["all"] }
    }

    @Test func `a receiver that is found is used after a choice, and not before`() async throws {
        try write(Self.house)
        let page = packaged()
        let before = try await page.receivers()
        #expect(before.receivers.map(\.name) == ["bath", "kitchen"] && !before.more)
        #expect(before.receivers.allSatisfy { !$0.used && $0.saved == nil && $0.found && $0.make == "ESPresense" })
        #expect(try used().isEmpty && reloads.count.withLock(\.self) == 0)
        let choice = #"{"receivers": [{"type": "espresense", "name": "kitchen", "room": "cuisine"}]}"#
        #expect(try await page.set(receivers: Array(choice.utf8)).written == true)
        #expect(try used() == ["kitchen"] && text == Self.house && reloads.count.withLock(\.self) == 1)
        let after = try await page.receivers()
        #expect(after.receivers.map(\.used) == [false, true] && after.receivers[1].saved == "cuisine")
    }

    @Test func `a receiver that is chosen is kept beside regions, and taken back`() async throws {
        try write(Self.house)
        let page = packaged()
        func choose(_ name: String, _ room: String) async throws {
            let choice = #"{"receivers": [{"type": "shelly", "name": "\#(name)", "room": \#(room)}]}"#
            #expect(try await page.set(receivers: Array(choice.utf8)).written == true)
        }
        #expect(try await page.set(room: Array(#"{"room": "attic"}"#.utf8)).written == true)
        try await choose("s1", #""hall""#)
        try await choose("s2", #""attic""#)
        #expect(try used() == ["s1", "s2"])
        let silent = try await page.receivers().receivers.filter { !$0.found }
        #expect(silent.map(\.name) == ["s1", "s2"] && silent.allSatisfy { $0.used && $0.saved != nil })
        try await choose("s1", "null")
        #expect(try used() == ["s2"])
        try await choose("s2", "null")
        #expect(try used().isEmpty && !(folder.text("regions.json") ?? "").contains("receivers"))
        #expect(try MergedConfiguration(file: file, directory: folder.path).configuration.node.room == "attic")
    }

    @Test func `without a broker receivers are neither found nor used, and the regions stay`() async throws {
        try write(Self.house)
        let choice = Array(#"{"receivers": [{"type": "shelly", "name": "s1", "room": "hall"}]}"#.utf8)
        #expect(try await packaged().set(receivers: choice).written == true)
        try write(#"{"regions": [{"identifier": "keys", "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}]}"#)
        let merged = try MergedConfiguration(file: file, directory: folder.path)
        #expect(merged.configuration.receivers.isEmpty && merged.configuration.regions.count == 1)
        #expect(merged.saved.problems.contains { $0.contains("the receivers are not used") })
        #expect(await status { () throws(PageFailure) in try await packaged().receivers() } == .notFound)
        #expect(await status { () throws(PageFailure) in try await packaged().set(receivers: choice) } == .badRequest)
        #expect(try await packaged().set(room: Array(#"{"room": "attic"}"#.utf8)).written == true)
    }

    @Test func `a receiver of a house offers none, because its hub uses them`() async throws {
        try write(#"{"receiver": true, "mqtt": {"host": "localhost"}, "regions": []}"#)
        #expect(await status { () throws(PageFailure) in try await packaged().receivers() } == .notFound)
        try write(#"{"standby": true, "mqtt": {"host": "localhost"}, "regions": []}"#)
        #expect(try await packaged().receivers().receivers.count == 2)
    }

    @Test func `a wrong request names no file and changes nothing`() async throws {
        try write(Self.house)
        for request in [
            "", "{}", "[]", #"{"receivers": 1}"#, #"{"receivers": [], "mqtt": 1}"#, #"{"receivers": [{}]}"#,
        ] {
            let result = await status { () throws(PageFailure) in
                try await packaged().set(receivers: Array(request.utf8))
            }
            #expect(result == .badRequest, "\(request)")
        }
        #expect(folder.text("regions.json") == nil)
    }

    @Test func `several pages cause one search`() async throws {
        try write(Self.house)
        let searches = Reloads()
        let page = packaged(searches)
        try await withThrowingTaskGroup(of: ReceiversReport.self) { group in
            for _ in 0..<8 { group.addTask { try await page.receivers() } }
            for try await report in group { #expect(report.receivers.count == 2) }
        }
        #expect(searches.count.withLock(\.self) == 1)
    }
}
