import FoundationEssentials
import OkaeriWiFi
import Testing

@testable import OkaeriAgent
@testable import OkaeriEvents

@Suite struct StatusBoardTests {
    /// Returns the daemon's answer, with these regions and the networks of its prompts.
    private func report(_ regions: [(String, String)], asking: [(id: String, ssid: String, arrival: Int)] = []) throws
        -> StatusReport
    {
        let regions = regions.map { identifier, state in
            """
            {"identifier": "\(identifier)", "state": "\(state)", "lastKnown": "unknown", "uuid": "", "exitAfter": 5,
             "isLearned": false, "beacons": []}
            """
        }
        let prompts = asking.map {
            #"{"id": "\#($0.id)", "ssid": "\#($0.ssid)", "regions": [], "arrival": \#($0.arrival)}"#
        }
        let text = """
            {"time": "", "source": "hci0", "simulated": [], "stale": false,
             "bluetooth": {"state": "poweredOn", "reason": "", "listening": true},
             "wifi": {"managerRunning": false, "radioEnabled": false, "hardwareEnabled": false, "activating": false},
             "counters": {"reports": 0, "iBeacons": 0, "malformed": 0, "dropped": 0},
             "regions": [\(regions.joined(separator: ","))], "prompts": [\(prompts.joined(separator: ","))]}
            """
        return try JSONDecoder().decode(StatusReport.self, from: Data(text.utf8))
    }

    private func text(_ value: [UInt8]) -> String { String(decoding: value, as: UTF8.self) }

    private func line(_ text: String) -> StatusBoard.Update { .region(Array(text.utf8)) }

    @Test func `without a daemon nothing is known, and that is what is read`() {
        let board = StatusBoard()
        #expect(text(board.regionStates) == "!\n")
        #expect(board.prompts.isEmpty)
    }

    @Test func `the regions that are inside are read first, and only changes are notified`() throws {
        var board = StatusBoard()
        let first = board.update(with: try report([("work", "outside"), ("home", "inside"), ("shed", "unknown")]))
        #expect(first == [line("-work\n"), line("+home\n"), line("?shed\n")])
        #expect(text(board.regionStates) == "+home\n-work\n?shed\n")
        #expect(board.update(with: try report([("work", "outside"), ("home", "inside"), ("shed", "unknown")])).isEmpty)
        let second = board.update(with: try report([("work", "inside"), ("home", "inside")]))
        #expect(second == [line("+work\n"), line("?shed\n")])
        #expect(text(board.regionStates) == "+work\n+home\n")
    }

    @Test func `the end of a daemon is notified once, and its return sends everything again`() throws {
        var board = StatusBoard()
        _ = board.update(with: try report([("home", "inside")], asking: [("1", "HomeNet", 1)]))
        #expect(board.daemonLost() == [line("!\n"), .prompts([])])
        #expect(board.daemonLost().isEmpty)
        #expect(text(board.regionStates) == "!\n")
        #expect(board.update(with: try report([("home", "inside")])) == [line("+home\n")])
    }

    @Test func `a prompt is notified at its beginning and its end, and has a token of its own`() throws {
        var board = StatusBoard()
        let updates = board.update(with: try report([], asking: [("1", "HomeNet", 3)]))
        #expect(updates == [.prompts(board.prompts)])
        let words = text(board.prompts).split(separator: " ")
        #expect(words.count == 2)
        #expect(words.last == "HomeNet\n")
        let token = String(try #require(words.first))
        #expect(token.count == 8)
        #expect(board.prompt(token)?.id == "1")
        #expect(board.isAsking)
        // The same number, after the daemon has counted anew, or of the next arrival.
        for other in [("1", "Cafe", 3), ("1", "HomeNet", 4)] {
            _ = board.update(with: try report([], asking: [other]))
            #expect(board.prompt(token) == nil)
        }
        #expect(board.update(with: try report([])) == [.prompts([])])
        #expect(!board.isAsking)
    }

    @Test(arguments: [1, 20, 63, 64, 65, 200]) func `what does not fit is counted`(count: Int) throws {
        var board = StatusBoard()
        let regions = (0..<count).map { (String("region\($0)xxxx".prefix(6)), $0 == count - 1 ? "inside" : "outside") }
        _ = board.update(with: try report(regions.map { ($0, $1) }))
        let value = board.regionStates
        #expect(value.count <= 512)
        let lines = text(value).split(separator: "\n")
        #expect(lines.first == "+region")
        if count <= 64 {
            #expect(lines.count == count)
        } else {
            #expect(lines.last == "*\(count - lines.count + 1)")
        }
    }

    @Test func `nothing in a name begins a new line`() throws {
        var board = StatusBoard()
        _ = board.update(with: try report([(#"ho\nme"#, "inside")]))
        #expect(text(board.regionStates) == "+ho\u{FFFD}me\n")
    }
}
