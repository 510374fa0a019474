import OkaeriEvents
import OkaeriPlumbing

/// A day as an SVG: a bar of presence and the signal for each region, with the events of Wi-Fi and adapter.
///
/// A value in, a text out. The caller passes the times for people, because it has the time zone.
struct DayPlot {
    /// A line of the grid.
    struct Tick: Sendable, Hashable {
        var time: Int64
        /// The text below it; `nil` for a line without text.
        var label: String?
    }

    let record: DayRecord
    let title: String
    /// The time zone of ``ticks`` and ``clock``.
    let subtitle: String
    let ticks: [Tick]
    var layout = Layout.wide
    var language = Language.english
    /// The time of day, for tooltips.
    let clock: (Int64) -> String

    /// The whole document.
    var svg: String {
        var svg = SVGText()
        draw(&svg)
        return svg.text
    }

    /// Draws the document in parts, each of which `write` receives.
    func write(to write: @escaping (String) -> Void) {
        var svg = SVGText(write: write)
        draw(&svg)
        svg.end()
    }

    private func draw(_ svg: inout SVGText) {
        let regions = record.regions.enumerated().map { index, region in
            RegionPlot(region, top: Layout.header + Double(index) * layout.region, plot: self)
        }
        let bottom = Layout.header + Double(max(1, regions.count)) * layout.region
        let legend = Legend(record: record, layout: layout, language: language)
        let height = bottom + Layout.axis + Double(max(2, legend.lines)) * Layout.legendLine
        svg.group(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Int(layout.width)) \(Int(height))",
                "width": .init(layout.width), "height": .init(height), "role": "img", "aria-label": "\(description)",
            ]
        ) { svg in
            svg.add(verbatim: "\n<style>\(Style.sheet)</style>\n\(Style.patterns)\n")
            svg.add("rect", ["class": "paper", "width": .init(layout.width), "height": .init(height), "rx": 12])
            if layout.isNarrow {
                svg.add("text", ["class": "title short", "x": 12, "y": 26], title)
                svg.add("text", ["class": "quiet", "x": 12, "y": 46], subtitle)
            } else {
                svg.add("text", ["class": "title", "x": .init(layout.left), "y": 40], title)
                svg.add("text", ["class": "quiet end", "x": .init(layout.right), "y": 40], subtitle)
            }
            drawGrid(&svg, bottom: bottom)
            if regions.isEmpty {
                svg.add(
                    "text", ["class": "quiet", "x": .init(layout.left), "y": 120], language(PlotPhrase.nothingKnown))
            }
            drawShades(&svg, bottom: bottom)
            for region in regions { region.draw(&svg) }
            legend.draw(&svg, y: bottom + Layout.axis)
        }
    }

    /// The content of the picture, for screen readers.
    private var description: String {
        let presence = record.regions.map { "\($0.identifier) \(insideFor($0))" }
        return ([title, subtitle] + presence).joined(separator: "; ")
    }

    private func drawGrid(_ svg: inout SVGText, bottom: Double) {
        for tick in ticks {
            let x = SVGText.Value(x(tick.time))
            svg.add(
                "line",
                [
                    "class": tick.label == nil ? "grid" : "grid strong", "x1": x, "x2": x, "y1": .init(Layout.ceiling),
                    "y2": .init(bottom),
                ])
            if let label = tick.label {
                svg.add("text", ["class": "quiet middle", "x": x, "y": .init(bottom + 20)], label)
            }
        }
    }

    /// The times without an adapter and without a daemon, through all regions.
    private func drawShades(_ svg: inout SVGText, bottom: Double) {
        func shade(_ time: Range<Int64>, _ name: String, _ words: String) {
            svg.group(
                "rect",
                [
                    "class": "\(name)", "x": .init(x(time.lowerBound)), "y": .init(Layout.ceiling),
                    "width": .init(width(time)), "height": .init(bottom - Layout.ceiling),
                ], title: "\(words), \(span(time))")
        }
        for time in record.unwatched { shade(time, "unwatched", language(PlotPhrase.notWatched)) }
        for outage in visible(record.outages) { shade(outage.time, "outage", outage.value) }
    }

    /// Returns the spans to draw, each in its own pixel: of those that are narrower and begin in the same one, the longest.
    func visible(_ spans: [DayRecord.Span]) -> [DayRecord.Span] {
        func isNarrow(_ span: DayRecord.Span) -> Bool { x(span.time.upperBound) - x(span.time.lowerBound) < 1 }
        func length(_ span: DayRecord.Span) -> Int64 { span.time.upperBound &- span.time.lowerBound }
        var visible: [DayRecord.Span] = []
        for span in spans {
            guard let last = visible.last, isNarrow(last), isNarrow(span),
                Int(x(last.time.lowerBound)) == Int(x(span.time.lowerBound))
            else {
                visible.append(span)
                continue
            }
            if length(span) > length(last) { visible[visible.count - 1] = span }
        }
        return visible
    }

    // MARK: Times

    func x(_ time: Int64) -> Double {
        let (length, since) = (Double(record.end) - Double(record.start), Double(time) - Double(record.start))
        return layout.left + layout.chart * min(1, max(0, since / max(1, length)))
    }

    /// Returns the middle of a column of the signal.
    func x(ofColumn column: UInt16) -> Double { layout.left + columnWidth * (Double(column) + 0.5) }

    var columnWidth: Double { layout.chart / Double(max(1, record.columns)) }

    /// The width of a minute, and never less than can be seen.
    var minuteWidth: Double {
        max(1, layout.chart * Double(SignalMinute.length) / max(1, Double(record.end) - Double(record.start)))
    }

    /// Never less than can be seen.
    func width(_ time: Range<Int64>) -> Double { max(0.8, x(time.upperBound) - x(time.lowerBound)) }

    func span(_ time: Range<Int64>) -> String { "\(clock(time.lowerBound))–\(clock(time.upperBound))" }

    /// Returns the time inside: `inside for 9 h 42 min`.
    func insideFor(_ region: DayRecord.Region) -> String {
        let minutes = region.inside / SignalMinute.length
        return language(
            PlotPhrase.insideFor,
            minutes < 60
                ? language(PlotPhrase.minutes, "\(minutes)")
                : language(PlotPhrase.hours, "\(minutes / 60)", "\(minutes % 60)"))
    }
}

extension DayRecord.Region {
    var inside: Int64 {
        spans.reduce(0) { $1.value == "inside" ? $0 &+ ($1.time.upperBound &- $1.time.lowerBound) : $0 }
    }
}

/// The positions, in pixels.
struct Layout: Sendable {
    let width: Double

    /// Whether each region has its signal below the bar of its presence.
    var hasSignals = true

    /// The widths that can be asked for: from a small phone on.
    private static let widths = 280.0...960.0

    /// Whether title and time zone have a line each, and the margins are small.
    var isNarrow: Bool { width < 640 }

    // The page has the same margins, for the time below the pointer: picture.js.
    var left: Double { isNarrow ? 40 : 64 }
    var right: Double { width - (isNarrow ? 12 : 32) }
    var chart: Double { right - left }

    /// The number of pixels of the chart: a signal has no more values.
    var columns: Int { Int(chart) }

    /// The largest number of lines with a time in a part of a day.
    var ticks: Int64 { isNarrow ? 5 : 10 }

    static let wide = Layout(width: widths.upperBound)

    init(width: Double, hasSignals: Bool = true) {
        self.width = min(Self.widths.upperBound, max(Self.widths.lowerBound, width))
        self.hasSignals = hasSignals
    }

    /// The end of the title and start of the first region.
    static let header = 76.0

    /// The height of a region.
    var region: Double { hasSignals ? 208 : 76 }

    /// The height of the axis, and of each line of the legend.
    static let axis = 54.0
    static let legendLine = 22.0

    /// The top of the grid.
    static let ceiling = 64.0

    /// Within a region, from its top.
    static let name = 16.0
    static let bar = 26.0
    static let barHeight = 18.0
    static let marks = 58.0
    static let signal = 84.0
    static let signalHeight = 96.0
}

struct Legend {
    let record: DayRecord
    let layout: Layout
    let language: Language

    /// A sign and its label.
    private enum Entry {
        case swatch(String, String)
        case glyph(DayRecord.Mark.Kind, String)
        case line(String)
    }

    private var entries: [Entry] {
        let states = Set(record.regions.flatMap(\.spans).map(\.value))
        let marks = Set(record.regions.flatMap(\.marks).map(\.kind))
        let named: [(String, PlotPhrase)] = [("inside", .inside), ("outside", .outside), ("unknown", .unknown)]
        var entries = named.filter { states.contains($0.0) }.map { Entry.swatch($0.0, language($0.1)) }
        if layout.hasSignals, record.regions.contains(where: { !$0.signal.isEmpty }) {
            entries.append(.line(language(PlotPhrase.signal)))
        }
        let words: [(DayRecord.Mark.Kind, PlotPhrase)] = [
            (.prompt, .prompt), (.answer, .answer), (.joined, .joined), (.joinFailed, .joinFailed),
        ]
        entries += words.filter { marks.contains($0.0) }.map { .glyph($0.0, language($0.1)) }
        if !record.outages.isEmpty { entries.append(.swatch("outage", language(PlotPhrase.noBluetooth))) }
        if !record.unwatched.isEmpty { entries.append(.swatch("unwatched", language(PlotPhrase.notWatched))) }
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

    private func width(of entry: Entry) -> Double { 22 + Double(words(of: entry).displayWidth) * Self.letter + 18 }
}

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

struct SignalScale {
    /// In dBm, at tens.
    private let range: ClosedRange<Int>
    let top: Double

    /// The range for a home without receptions.
    private static let usual = -90 ... -50

    /// RSSI as HCI has it; a damaged file may hold anything.
    private static let possible = -127...20

    init(_ region: DayRecord.Region, top: Double) {
        self.top = top
        let received = [region.signal.map(\.lowest).min(), region.signal.map(\.highest).max()].compactMap {
            $0.map(Int.init)
        }
        let levels = (received + [region.enterRSSI, region.exitRSSI].compactMap { $0 }).map {
            min(Self.possible.upperBound, max(Self.possible.lowerBound, $0))
        }
        let tens = levels.map { Double($0) / 10 }
        let lowest = tens.min().map { Int($0.rounded(.down)) * 10 } ?? Self.usual.lowerBound
        let highest = tens.max().map { Int($0.rounded(.up)) * 10 } ?? Self.usual.upperBound
        range = min(lowest, Self.usual.lowerBound)...max(highest, Self.usual.upperBound)
    }

    /// The lines to draw, in dBm.
    var levels: [Int] {
        let step = range.count > 60 ? 20 : 10
        return Array(stride(from: range.upperBound, through: range.lowerBound, by: -step))
    }

    func y(_ level: Double) -> Double { top + height(ofDB: depth(level)) }

    /// Returns the distance of a level from the top, in dB.
    func depth(_ level: Double) -> Double {
        Double(range.upperBound) - min(Double(range.upperBound), max(Double(range.lowerBound), level))
    }

    func height(ofDB distance: Double) -> Double {
        Layout.signalHeight * distance / Double(range.upperBound - range.lowerBound)
    }
}

/// The colours and strokes, on light paper and on dark.
enum Style {
    static let sheet = """

        text{font:13px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;fill:#1f2933}
        .title{font-size:20px;font-weight:600}.short{font-size:16px}.name{font-size:15px;font-weight:600}
        .quiet{fill:#7b8794;font-size:12px}.small{font-size:10.5px}.middle{text-anchor:middle}.end{text-anchor:end}
        .paper{fill:#fffdf8}.grid{stroke:#efeae0}.grid.strong{stroke:#e0d9ca}
        .inside{fill:#2a9d8f}.outside{fill:#e9e4d8}.unknown{fill:url(#doubt)}
        .doubt{stroke:#b9b2a3}.band{fill:#4c78a8;fill-opacity:.18}
        .signal{fill:none;stroke:#4c78a8;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round;
        vector-effect:non-scaling-stroke}
        .threshold{stroke-width:1;stroke-dasharray:5 4}.enter{stroke:#2a9d8f}.exit{stroke:#c8643c}
        text.enter,text.exit{stroke:#fffdf8;stroke-width:4;paint-order:stroke}text.enter{fill:#22796f}text.exit{fill:#b4532c}
        .mark{stroke:#fffdf8;stroke-width:1.5}.prompt{fill:#e9a23b}.answer{fill:#b7892f}
        .joined{fill:#2a9d8f}.joinFailed{fill:#c8443c}
        .glyph{fill:none;stroke:#fff;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
        .outage{fill:#c8443c;fill-opacity:.14}.unwatched{fill:url(#absence)}.absence{stroke:#cfc8b8}
        @media (prefers-color-scheme:dark){
        text{fill:#e6e9ee}.quiet{fill:#8a94a3}.paper{fill:#171b22}.grid{stroke:#20262f}.grid.strong{stroke:#2d3541}
        .inside{fill:#35b7a6}.outside{fill:#2b323d}.doubt{stroke:#535d6c}.band{fill:#7aa6d6;fill-opacity:.22}
        .signal{stroke:#8db8e6}.enter{stroke:#35b7a6}.exit{stroke:#e08a63}text.enter{fill:#35b7a6}text.exit{fill:#e08a63}
        .mark,text.enter,text.exit{stroke:#171b22}.outage{fill:#e0615a;fill-opacity:.2}.absence{stroke:#4a5464}}

        """

    /// Hatches: for unknown time, and for time without a watching daemon.
    static let patterns = """
        <defs><pattern id="doubt" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <path class="doubt" d="M0 0V6" stroke-width="2"/></pattern>\
        <pattern id="absence" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <path class="absence" d="M0 0V8" stroke-width="1"/></pattern></defs>
        """
}
