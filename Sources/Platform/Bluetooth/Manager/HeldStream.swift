/// A stream that keeps alive what feeds it, for as long as somebody iterates.
public struct HeldStream<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let stream: AsyncStream<Element>
    private let source: any AnyObject & Sendable

    package init(_ stream: AsyncStream<Element>, holding source: any AnyObject & Sendable) {
        self.stream = stream
        self.source = source
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), source: source)
    }

    /// Holds what feeds the stream, too: the sequence may go while somebody iterates.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Element>.Iterator
        fileprivate let source: any AnyObject & Sendable

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await base.next(isolation: actor)
        }

        public mutating func next() async -> Element? {
            await base.next()
        }
    }
}
