import BlueZ
import Logging
import OkaeriTestSupport
import Testing

@testable import OkaeriAgent

@Suite struct StatusProfileTests {
    @Test func `the UUIDs are those that are documented`() {
        #expect(
            [
                StatusProfile.service, StatusProfile.regionStates, StatusProfile.waitingPrompt, StatusProfile.answer,
                StatusProfile.logLevel,
            ].map(\.description)
                == (1...5).map { "8E6B000\($0)-5C1F-4D27-9A43-B1D06F7C2E95" })
    }

    @Test func `a logger writes what its present level allows`() {
        let level = LogLevel(.notice)
        let logger = level.logger(quiet)
        #expect(logger.logLevel == .notice)
        level.value = .trace
        #expect(logger.logLevel == .trace)
    }
}
