/// An asynchronous sequence that ends with a ``CentralError``, or without one when its task is cancelled.
public struct CentralSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error that ends it.
    public typealias Failure = CentralError

    private let elements: AsyncThrowingStream<Element, any Error>

    /// - Parameter elements: Ends with no error but a ``CentralError``.
    init(_ elements: AsyncThrowingStream<Element, any Error>) {
        self.elements = elements
    }

    /// Returns a reader of the sequence. A sequence has one reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(elements: elements.makeAsyncIterator())
    }

    /// The reader of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var elements: AsyncThrowingStream<Element, any Error>.Iterator

        /// Returns the next element; `nil` at the end.
        ///
        /// - Throws: The ``CentralError`` that ends the sequence.
        public mutating func next() async throws(CentralError) -> Element? {
            try await next(isolation: nil)
        }

        /// Returns the next element; `nil` at the end.
        ///
        /// - Parameter actor: The actor of the caller.
        /// - Throws: The ``CentralError`` that ends the sequence.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CentralError) -> Element? {
            do {
                return try await elements.next(isolation: actor)
            } catch {
                throw error as? CentralError ?? .cancelled
            }
        }
    }
}
