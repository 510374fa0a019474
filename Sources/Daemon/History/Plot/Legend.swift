struct Legend {
    let record: DayRecord
    let layout: Layout

    /// A sign and its label.
    private enum Entry {
        case swatch(String, String)
        case glyph(DayRecord.Mark.Kind, String)
        case line(String)
    }

    private var entries: [Entry] {
        let states = Set(record.regions.flatMap(\.spans).map(\.value))
        let marks = Set(record.regions.flatMap(\.marks).map(\.kind))
        var entries: [Entry] = ["inside", "outside", "unknown"].filter(states.contains).map { .swatch($0, $0) }
        if record.regions.contains(where: { !$0.minutes.isEmpty }) {
            entries.append(.line("signal, dBm: mean and range"))
        }
        let words: [(DayRecord.Mark.Kind, String)] = [
            (.prompt, "prompt"), (.answer, "answer"), (.joined, "joined"), (.joinFailed, "not joined"),
        ]
        entries += words.filter { marks.contains($0.0) }.map { .glyph($0.0, $0.1) }
        if !record.outages.isEmpty { entries.append(.swatch("outage", "no Bluetooth")) }
        if !record.unwatched.isEmpty { entries.append(.swatch("unwatched", "not watched")) }
        return entries
    }

    /// About what a letter of the legend takes.
    private static let letter = 6.3

    /// The number of lines that it takes.
    var lines: Int { (positions.last?.line ?? 0) + 1 }

    /// Each entry in its place, in as many lines as the width requires.
    private var positions: [(entry: Entry, x: Double, line: Int)] {
        var (x, line) = (layout.left, 0)
        return entries.map { entry in
            if x > layout.left, x + width(of: entry) > layout.right { (x, line) = (layout.left, line + 1) }
            defer { x += width(of: entry) }
            return (entry, x, line)
        }
    }

    func draw(_ svg: inout SVGText, y top: Double) {
        for (entry, x, line) in positions {
            let y = top + Double(line) * Layout.legendLine
            let words = words(of: entry)
            switch entry {
            case .swatch(let name, _):
                svg.add(
                    "rect",
                    ["class": "\(name)", "x": .init(x), "y": .init(y - 10), "width": 16, "height": 12, "rx": 3])
            case .glyph(let kind, _):
                MarkGlyph(kind).draw(&svg, x: x + 8, y: y - 4)
            case .line:
                svg.add("rect", ["class": "band", "x": .init(x), "y": .init(y - 9), "width": 16, "height": 10])
                svg.add("path", ["class": "signal", "d": "M\(Int(x)) \(Int(y) - 4)h16"])
            }
            svg.add("text", ["class": "quiet", "x": .init(x + 22), "y": .init(y)], words)
        }
    }

    private func words(of entry: Entry) -> String {
        switch entry {
        case .swatch(_, let words), .glyph(_, let words), .line(let words): words
        }
    }

    private func width(of entry: Entry) -> Double { 22 + Double(words(of: entry).count) * Self.letter + 18 }
}
