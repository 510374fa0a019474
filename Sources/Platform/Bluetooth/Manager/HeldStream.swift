/// A stream that keeps its source alive during iteration.
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

    /// Keeps the source alive, too: the sequence may be released during iteration.
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
