import BlueZ
import Glibc
import OkaeriDBus
import OkaeriPlumbing

/// The messages that users see, one a line, in sections by type.
enum Messages {
    struct Section {
        let title: String
        let lines: [String]

        init(_ title: String, _ messages: [String]) {
            self.title = title
            lines = messages.flatMap { $0.split(separator: "\n") }.map(String.init)
        }

        init(_ title: String, _ messages: [some CustomStringConvertible]) {
            self.init(title, messages.map(\.description))
        }
    }

    static var sections: [Section] { made + inPlace }

    /// The messages that the program makes.
    static var made: [Section] {
        configuration + files + history + hooks + client + wifi + broker + adapter + bluetooth + captures + doctor
    }

    /// Returns the first sample and those that follow it.
    ///
    /// - Parameter next: switches over all cases without a `default`, so that a new case compiles only when it has a sample.
    static func samples<Value>(_ first: Value, _ next: @escaping (Value) -> Value?) -> [Value] {
        Array(sequence(first: first, next: next).prefix(100))
    }

    /// Replaces the user of the tests in a message.
    static func ofAnyUser(_ message: String) -> String {
        let own = geteuid() == 0 ? "root" : "user \(geteuid())"
        return message.replacing("runs as \(own);", with: "runs as user 1000;")
            .replacing("by \(own),", with: "by user 1000,").replacing("user \(geteuid()),", with: "user 1000,")
            .replacing("chown \(geteuid()) ", with: "chown 1000 ")
    }
}
