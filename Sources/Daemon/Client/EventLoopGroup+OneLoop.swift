package import NIOCore
package import NIOPosix

extension EventLoopGroup where Self == MultiThreadedEventLoopGroup {
    /// NIO's own group with one loop: there are few requests, and a thread for each core would only cost.
    package static var oneLoop: MultiThreadedEventLoopGroup { OneLoop.group }
}

private enum OneLoop {
    static let group: MultiThreadedEventLoopGroup = {
        NIOSingletons.groupLoopCountSuggestion = 1  // set before the group is first used
        return .singletonMultiThreadedEventLoopGroup
    }()
}
