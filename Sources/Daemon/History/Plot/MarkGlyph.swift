/// The sign for something about the Wi-Fi: a disc with a line drawing in it, since fonts differ.
struct MarkGlyph {
    private let name: String
    private let path: String

    init(_ kind: DayRecord.Mark.Kind) {
        (name, path) =
            switch kind {
            case .prompt: ("prompt", "M-2.2-2.2a2.3 2.3 0 1 1 3.2 2.1q-1 .5-1 1.6M0 4.2V4.3")
            case .answer: ("answer", "M-3.2-1.6H3.2M-3.2 1.6H3.2")
            case .joined: ("joined", "M-3.2.2L-.9 2.7 3.4-2.3")
            case .joinFailed: ("joinFailed", "M-2.5-2.5L2.5 2.5M-2.5 2.5L2.5-2.5")
            }
    }

    func draw(_ svg: inout SVGText, x: Double, y: Double) {
        svg.group("g", ["transform": "translate(\(SVGText.Value(x).text) \(SVGText.Value(y).text))"]) { svg in
            svg.add("circle", ["class": "mark \(name)", "r": 8])
            svg.add("path", ["class": "glyph", "d": "\(path)"])
        }
    }
}
