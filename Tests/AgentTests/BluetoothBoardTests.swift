import HCI
import OkaeriEvents
import Testing

@testable import OkaeriAgent

/// The notification that Bluetooth does not work.
struct BluetoothBoardTests {
    private var board = BluetoothBoard()
    private let off = AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "hci0 is <off>; switch it on")

    @Test mutating func `the alert waits for a notification server, and goes when Bluetooth works again`() {
        #expect(board.perform(.alert(off)) == nil)
        #expect(board.serverAppeared(["body-markup"]) == .show(off, hasMarkup: true))
        #expect(board.shown(as: 7) == nil && board.onScreen == 7)
        #expect(board.perform(.alert(off)) == nil, "it is on the screen already")
        #expect(board.perform(.withdraw) == .withdraw(7))
        #expect(board.onScreen == nil && board.withdrawn() == nil)
    }

    @Test mutating func `an alert whose end comes before its number is withdrawn`() {
        _ = board.serverAppeared([])
        #expect(board.perform(.alert(off)) == .show(off, hasMarkup: false))
        #expect(board.perform(.withdraw) == nil)
        #expect(board.shown(as: 7) == .withdraw(7))
        #expect(board.onScreen == nil)
    }

    @Test mutating func `an alert that the server did not show, or that expired, is sent again`() {
        _ = board.serverAppeared([])
        _ = board.perform(.alert(off))
        board.showingFailed()
        #expect(board.isRetrying)
        #expect(board.retried() == .show(off, hasMarkup: false))
        _ = board.shown(as: 7)
        board.closed(8, isExpired: true)
        #expect(!board.isRetrying)
        board.closed(7, isExpired: true)
        #expect(board.isRetrying)
    }

    @Test mutating func `an alert that a user closed stays closed, also on another server`() {
        _ = board.serverAppeared([])
        _ = board.perform(.alert(off))
        _ = board.shown(as: 7)
        board.closed(7, isExpired: false)
        board.serverVanished()
        #expect(board.serverAppeared([]) == nil && board.perform(.withdraw) == nil)
    }

    @Test mutating func `another notification server shows the alert again`() {
        _ = board.serverAppeared([])
        _ = board.perform(.alert(off))
        _ = board.shown(as: 7)
        board.serverVanished()
        #expect(board.serverAppeared([]) == .show(off, hasMarkup: false))
    }

    @Test func `the notification stays, and foreign text is not markup`() {
        let english = Language.english.bluetooth(off, hasMarkup: true)
        #expect(english.summary == "Bluetooth does not work" && english.stays && english.buttons.isEmpty)
        #expect(english.body == "No beacon is received, because hci0 is &lt;off&gt;; switch it on")
        let japanese = Language.japanese.bluetooth(off, hasMarkup: false)
        #expect(japanese.summary == "Bluetooth が使えません" && japanese.body.contains("hci0 がオフ"))
    }
}
