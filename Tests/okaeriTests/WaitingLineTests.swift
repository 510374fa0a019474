import OkaeriTestSupport
import Synchronization
import Testing

@testable import okaeri

@Suite(.timeLimit(.minutes(5))) struct WaitingLineTests {
    private final class Written: Sendable {
        private let all = Mutex<[String]>([])

        func add(_ text: String) { all.withLock { $0.append(text) } }
        var lines: [String] { all.withLock(\.self) }
    }

    private let written = Written()

    private func line(every interval: Duration, isEnabled: Bool = true) -> WaitingLine {
        WaitingLine(interval: interval, isEnabled: isEnabled, write: { [written] in written.add($0) })
    }

    @Test func `a step that lasts is shown with its time, and cleared at its end`() async throws {
        let line = line(every: .milliseconds(1))
        await line.begin("reading")
        try await eventually("two drawings") { written.lines.count > 1 }
        await line.end()
        let lines = written.lines
        #expect(lines.first?.hasPrefix("\r\u{1B}[Kreading … ") == true)
        #expect(lines.last == "\r\u{1B}[K")
        await line.end()
        #expect(written.lines == lines)
    }

    @Test func `a step replaces the one before`() async throws {
        let line = line(every: .milliseconds(1))
        await line.begin("reading")
        try await eventually("a drawing") { !written.lines.isEmpty }
        await line.begin("writing")
        try await eventually("the second step") { written.lines.contains { $0.contains("writing") } }
        await line.end()
        let second = written.lines.drop { !$0.contains("writing") }
        #expect(!second.contains { $0.contains("reading") })
    }

    @Test func `a short step is not shown`() async {
        let line = line(every: .seconds(60))
        await line.begin("reading")
        await line.end()
        #expect(written.lines.isEmpty)
    }

    @Test func `without a terminal no step is shown`() async throws {
        let silent = line(every: .milliseconds(1), isEnabled: false)
        let shown = line(every: .milliseconds(1))
        await silent.begin("reading")
        await shown.begin("writing")
        try await eventually("three drawings") { written.lines.count > 2 }
        await shown.end()
        await silent.end()
        #expect(!written.lines.contains { $0.contains("reading") })
    }
}
