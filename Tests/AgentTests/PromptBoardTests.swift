import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import Testing

@testable import OkaeriAgent

@Suite struct PromptBoardTests {
    private let first = PromptKey(id: "1", ssid: "HomeNet", arrival: 1)
    private let second = PromptKey(id: "2", ssid: "Guests", arrival: 1)

    /// A board with the first prompt on the screen, as notification 7.
    private func asking() -> PromptBoard {
        var board = PromptBoard()
        _ = board.serverAppeared(["actions", "body-markup"])
        _ = board.listed([first])
        _ = board.shown(first, as: 7)
        return board
    }

    private func actions(_ board: inout PromptBoard, _ event: (inout PromptBoard) -> [PromptBoard.Action])
        -> [PromptBoard.Action]
    { event(&board) }

    @Test func `a prompt is shown once, with what the server can do`() {
        var board = PromptBoard()
        #expect(actions(&board) { $0.serverAppeared(["actions", "body-markup"]) } == [])
        #expect(actions(&board) { $0.listed([first]) } == [.show(first, hasButtons: true, hasMarkup: true)])
        #expect(actions(&board) { $0.listed([first]) } == [])
        #expect(actions(&board) { $0.shown(first, as: 7) } == [])
        #expect(actions(&board) { $0.listed([first]) } == [])
        #expect(board.isAsking)
    }

    @Test func `prompts wait for a server, and are shown in their order`() {
        var board = PromptBoard()
        #expect(actions(&board) { $0.listed([first, second]) } == [])
        #expect(!board.isAsking)
        let shown = actions(&board) { $0.serverAppeared(["body"]) }
        #expect(
            shown == [
                .show(first, hasButtons: false, hasMarkup: false), .show(second, hasButtons: false, hasMarkup: false),
            ])
    }

    @Test(arguments: PromptAnswer.allCases)
    func `a button answers its prompt, and only its own`(answer: PromptAnswer) {
        var board = asking()
        #expect(actions(&board) { $0.actionInvoked(8, key: answer.rawValue) } == [])
        #expect(actions(&board) { $0.actionInvoked(7, key: "default") } == [])
        #expect(
            actions(&board) { $0.actionInvoked(7, key: answer.rawValue) } == [.withdraw(7), .answer(first, answer)])
        #expect(actions(&board) { $0.actionInvoked(7, key: answer.rawValue) } == [], "once")
        #expect(!board.isAsking)
    }

    @Test func `what waits no longer is withdrawn`() {
        var board = asking()
        #expect(actions(&board) { $0.listed([]) } == [.withdraw(7)])
        #expect(!board.isAsking)
        #expect(actions(&board) { $0.actionInvoked(7, key: "join") } == [])
    }

    @Test func `what was answered while it was put on the screen is withdrawn then`() {
        var board = PromptBoard()
        _ = board.serverAppeared([])
        _ = board.listed([first])
        _ = board.listed([])
        #expect(actions(&board) { $0.shown(first, as: 7) } == [.withdraw(7)])
    }

    @Test func `a button that is pressed before the notification's number is known answers the prompt`() {
        var board = PromptBoard()
        _ = board.serverAppeared([])
        _ = board.listed([first, second])
        #expect(actions(&board) { $0.actionInvoked(7, key: "join") } == [])
        #expect(actions(&board) { $0.actionInvoked(9, key: "never") } == [])
        board.closed(7)
        board.closed(8)
        #expect(actions(&board) { $0.shown(first, as: 7) } == [.withdraw(7), .answer(first, .join)])
        #expect(actions(&board) { $0.shown(second, as: 8) } == [])
        #expect(!board.isAsking, "The second was closed.")
        #expect(
            actions(&board) { $0.actionCompleted("1") } == [
                .notify(.completed(.join, ssid: "HomeNet"), hasMarkup: false)
            ])
    }

    @Test func `early signals are forgotten with the server, with the prompt, after a failure, and beyond a limit`() {
        var board = PromptBoard()
        let endings: [(inout PromptBoard) -> Void] = [
            { $0.serverVanished() }, { $0.showingFailed(first) }, { _ = $0.listed([]) },
        ]
        for end in endings {
            _ = board.serverAppeared([])
            _ = board.listed([first])
            _ = board.actionInvoked(7, key: "join")
            end(&board)
            _ = board.serverAppeared([])
            _ = board.listed([first])
            _ = board.retried()
            #expect(actions(&board) { $0.shown(first, as: 7) } == [])
            #expect(board.isAsking)
            board = PromptBoard()
        }
        _ = board.serverAppeared([])
        _ = board.listed([first])
        _ = board.actionInvoked(7, key: "join")
        for other in 100..<164 as Range<UInt32> { board.closed(other) }
        #expect(actions(&board) { $0.shown(first, as: 7) } == [])
        #expect(board.isAsking)
    }

    @Test func `a notification that the user closed is not shown again, not even by another server`() {
        var board = asking()
        board.closed(7)
        #expect(actions(&board) { $0.listed([first]) } == [])
        board.serverVanished()
        #expect(actions(&board) { $0.serverAppeared(["actions"]) } == [])
    }

    @Test func `a notification that expired is shown again`() {
        var board = asking()
        board.closed(7, isExpired: true)
        #expect(!board.isAsking && board.isRetrying)
        #expect(actions(&board) { $0.retried() } == [.show(first, hasButtons: true, hasMarkup: true)])
    }

    @Test func `the questions go with the daemon, and one that was closed does not come back with it`() {
        var board = asking()
        #expect(board.onScreen == [7])
        #expect(actions(&board) { $0.daemonLost() } == [.withdraw(7)])
        #expect(board.onScreen.isEmpty)
        #expect(actions(&board) { $0.listed([first]) } == [.show(first, hasButtons: true, hasMarkup: true)])
        _ = board.shown(first, as: 8)
        board.closed(8)
        #expect(actions(&board) { $0.daemonLost() } == [])
        #expect(actions(&board) { $0.listed([first]) } == [])
    }

    @Test func `a server that restarts shows what still waits`() {
        var board = asking()
        board.serverVanished()
        #expect(!board.isAsking)
        #expect(
            actions(&board) { $0.serverAppeared(["actions"]) } == [.show(first, hasButtons: true, hasMarkup: false)])
    }

    @Test func `a question that the server did not show is sent again when its delay is over`() {
        var board = PromptBoard()
        _ = board.serverAppeared([])
        _ = board.listed([first])
        board.showingFailed(first)
        #expect(board.isRetrying)
        #expect(actions(&board) { $0.listed([first]) } == [])
        #expect(actions(&board) { $0.retried() } == [.show(first, hasButtons: false, hasMarkup: false)])
        board.showingFailed(first)
        #expect(actions(&board) { $0.listed([]) } == [])
        #expect(!board.isRetrying)
        #expect(actions(&board) { $0.retried() } == [])
    }

    @Test func `a question whose answer was not delivered is shown again with its buttons`() {
        var board = asking()
        _ = board.actionInvoked(7, key: "join")
        #expect(
            actions(&board) { $0.answerNotDelivered(first, reason: "no daemon") } == [
                .notify(.notAnswered(ssid: "HomeNet", reason: "no daemon"), hasMarkup: true),
                .show(first, hasButtons: true, hasMarkup: true),
            ])
        _ = board.shown(first, as: 9)
        #expect(actions(&board) { $0.actionInvoked(9, key: "join") } == [.withdraw(9), .answer(first, .join)])
    }

    @Test func `a daemon that counts anew has other prompts`() {
        var board = asking()
        let other = PromptKey(id: "1", ssid: "HomeNet", arrival: 2)
        #expect(
            actions(&board) { $0.listed([other]) } == [.withdraw(7), .show(other, hasButtons: true, hasMarkup: true)])
    }

    @Test func `the end of a shown prompt is reported, once`() {
        var board = asking()
        _ = board.actionInvoked(7, key: "join")
        #expect(actions(&board) { $0.actionCompleted("2") } == [])
        #expect(
            actions(&board) { $0.actionCompleted("1") } == [
                .notify(.completed(.join, ssid: "HomeNet"), hasMarkup: true)
            ])
        #expect(actions(&board) { $0.actionCompleted("1") } == [])
        var failing = asking()
        #expect(
            actions(&failing) { $0.actionFailed("1", code: "wrongPassphrase", reason: "wrong") } == [
                .notify(
                    .notCompleted(.join, ssid: "HomeNet", code: "wrongPassphrase", reason: "wrong"), hasMarkup: true)
            ])
    }

    @Test func `an answer that does not arrive is reported`() {
        var board = asking()
        #expect(
            actions(&board) { $0.answerRefused(first) } == [
                .notify(.tooLate(ssid: "HomeNet"), hasMarkup: true)
            ])
    }
}

@Suite struct SessionLockTests {
    @Test func `one agent at most runs in a session`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/okaeri-agent.lock"
        var first = SessionLock(path)
        #expect(first?.isHeld == true)
        #expect(SessionLock(path)?.isHeld == false)
        first = nil
        #expect(first == nil && SessionLock(path)?.isHeld == true)
        #expect(SessionLock("\(folder.path)/none/lock") == nil)
    }
}
