import OkaeriPlumbing

/// Puts an SVG document together, element by element.
struct SVGText {
    private(set) var text = ""

    /// An element with text in it, or without. Attributes come in the order they are given.
    mutating func add(_ name: String, _ attributes: KeyValuePairs<String, Value>, _ content: String? = nil) {
        open(name, attributes, isClosed: content == nil)
        if let content { text += "\(Self.escaped(content))</\(name)>\n" }
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
        for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value.text))\"" }
        text += isClosed ? "/>\n" : ">"
    }

    /// The value of an attribute: a word, or a length with one decimal, which is more than a screen shows.
    struct Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
        package let text: String

        package init(stringLiteral text: String) { self.text = text }
        package init(integerLiteral number: Int) { text = "\(number)" }

        package init(_ number: Double) {
            let rounded = (number * 10).rounded() / 10
            text = Int(exactly: rounded).map(String.init) ?? "\(rounded)"
        }
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
