/// A part of the daemon that goes by the configuration.
package protocol Configured: Sendable {
    /// The configuration is another one from now on.
    func configured(_ configuration: Configuration) async
}
