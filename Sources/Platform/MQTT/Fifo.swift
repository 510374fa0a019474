/// A queue: each element is put in at the end and taken out at the front in constant time, on average.
struct Fifo<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }

    /// In order, without taking any out.
    var contents: [Element] { elements[head...].compactMap(\.self) }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            // The memory of a long queue goes with it.
            elements.removeAll(keepingCapacity: elements.count <= 64)
            head = 0
        } else if head > 1024, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func replace(with contents: [Element]) {
        elements = contents
        head = 0
    }
}
