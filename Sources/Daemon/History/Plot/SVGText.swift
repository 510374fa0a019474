import OkaeriPlumbing

/// Puts an SVG document together, element by element.
struct SVGText {
    /// The text so far, without the parts that were handed out.
    private(set) var text = ""

    /// Receives the document in parts; `nil`: it stays in ``text``.
    private let write: ((String) -> Void)?

    /// The size from which a part is handed out, in bytes.
    private static let part = 32 << 10

    /// - Parameter write: Receives the parts of the document, so that it is never in memory as a whole.
    init(write: ((String) -> Void)? = nil) { self.write = write }

    /// Hands out the last part.
    mutating func end() { handOut(from: 1) }

    private mutating func handOut(from size: Int = part) {
        guard let write, text.utf8.count >= size else { return }
        write(text)
        text.removeAll(keepingCapacity: true)
    }

    /// An element with text in it, or without. Attributes come in the order they are given.
    mutating func add(_ name: String, _ attributes: KeyValuePairs<String, Value>, _ content: String? = nil) {
        open(name, attributes, isClosed: content == nil)
        if let content { text += "\(Self.escaped(content))</\(name)>\n" }
        handOut()
    }

    /// Adds an element that contains what `body` adds, and a title that is shown as its tooltip.
    mutating func group(
        _ name: String, _ attributes: KeyValuePairs<String, Value>, title: String? = nil,
        _ body: (inout SVGText) -> Void = { _ in }
    ) {
        open(name, attributes, isClosed: false)
        if let title { text += "<title>\(Self.escaped(title))</title>" }
        body(&self)
        text += "</\(name)>\n"
    }

    /// Adds text as it is, such as a style.
    mutating func add(verbatim: String) { text += verbatim }

    private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, Value>, isClosed: Bool) {
        text += "<\(name)"
        for (key, value) in attributes { text += " \(key)=\"\(value.markup)\"" }
        text += isClosed ? "/>\n" : ">"
    }

    /// The value of an attribute: a word, or a length with one decimal, which is more than a screen shows.
    struct Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
        let text: String
        /// Whether it is a number or a path, which markup bears as it is.
        private let isPlain: Bool

        init(stringLiteral text: String) { (self.text, isPlain) = (text, false) }
        init(integerLiteral number: Int) { (text, isPlain) = ("\(number)", true) }

        init(_ number: Double) {
            let rounded = (number * 10).rounded() / 10
            (text, isPlain) = (Int(exactly: rounded).map(String.init) ?? "\(rounded)", true)
        }

        init(_ path: SVGPath) { (text, isPlain) = (path.text, true) }

        var markup: String { isPlain ? text : SVGText.escaped(text) }
    }

    /// A number for a scale, with four decimals at most.
    static func number(_ number: Double) -> String {
        let rounded = (number * 10_000).rounded() / 10_000
        return Int(exactly: rounded).map(String.init) ?? "\(rounded)"
    }

    /// Text as XML bears it. What XML cannot bear at all, such as a NUL in a network's name, is replaced.
    static func escaped(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar {
            case "\t", "\n": " "
            case "\0"..<" ", "\u{FFFE}"..."\u{FFFF}": "\u{FFFD}"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars)).escapedForMarkup
    }
}

/// The data of a path (SVG 2, 9.3): steps from point to point, in halves of a unit.
struct SVGPath {
    private var bytes: [UInt8] = []
    private var last = (x: 0, y: 0)
    private var hasSteps = false

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Goes to a point: without a line first, and on with one.
    mutating func add(_ x: Double, _ y: Double) {
        let point = (x: Int((x * 2).rounded()), y: Int((y * 2).rounded()))
        if bytes.isEmpty {
            bytes.append(UInt8(ascii: "M"))
            append(point.x)
            append(point.y)
        } else {
            if !hasSteps { bytes.append(UInt8(ascii: "l")) }
            hasSteps = true
            append(point.x - last.x)
            append(point.y - last.y)
        }
        last = point
    }

    mutating func close() { bytes.append(UInt8(ascii: "z")) }

    /// Appends a number of halves. A sign separates it from the number before it.
    private mutating func append(_ halves: Int) {
        if halves < 0 {
            bytes.append(UInt8(ascii: "-"))
        } else if let last = bytes.last, last < UInt8(ascii: "A") {
            bytes.append(UInt8(ascii: " "))
        }
        let (whole, part) = halves.magnitude.quotientAndRemainder(dividingBy: 2)
        if whole != 0 || part == 0 { bytes.append(contentsOf: String(whole).utf8) }
        if part != 0 { bytes.append(contentsOf: [UInt8(ascii: "."), UInt8(ascii: "5")]) }
    }
}
