import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

/// A region's part of the picture: its name, the bar of presence, the Wi-Fi's marks and the signal.
struct RegionPlot {
    private let region: DayRecord.Region
    private let top: Double
    private let plot: DayPlot
    private let scale: SignalScale

    init(_ region: DayRecord.Region, top: Double, plot: DayPlot) {
        self.region = region
        self.top = top
        self.plot = plot
        scale = SignalScale(region, top: Layout.signal)
    }

    /// Draws it in a group of its own, whose content is the same at each place.
    func draw(_ svg: inout SVGText) {
        svg.group("g", ["transform": "translate(0 \(SVGText.number(top)))"]) { drawContent(&$0) }
    }

    private func drawContent(_ svg: inout SVGText) {
        let inside = plot.insideFor(region)
        let space = plot.layout.chart - Double(inside.displayWidth + 2) * 6.3
        svg.add(
            "text", ["class": "name", "x": .init(plot.layout.left), "y": .init(Layout.name)],
            Self.cut(region.identifier, to: space))
        svg.add(
            "text", ["class": "quiet end", "x": .init(plot.layout.right), "y": .init(Layout.name)], inside)
        drawPresence(&svg)
        if plot.layout.hasSignals {
            drawScale(&svg)
            drawSignal(&svg)
            drawThresholds(&svg)
        }
        drawMarks(&svg)
    }

    /// Returns the beginning of a name that is about as wide as the space, in pixels.
    private static func cut(_ name: String, to space: Double) -> String {
        // Letters of Latin script are about half as wide as those of Japanese.
        let widths = name.map { $0.isASCII ? 8.5 : 15.5 }
        guard widths.reduce(0, +) > space else { return name }
        var (width, count) = (12.0, 0)
        while count < widths.count, width + widths[count] <= space {
            (width, count) = (width + widths[count], count + 1)
        }
        return name.prefix(count) + "…"
    }

    private func drawPresence(_ svg: inout SVGText) {
        for span in plot.visible(region.spans) {
            let width = plot.width(span.time)
            svg.group(
                "rect",
                [
                    "class": "\(Self.presence(span.value))", "x": .init(plot.x(span.time.lowerBound)),
                    "y": .init(Layout.bar), "width": .init(width), "height": .init(Layout.barHeight),
                    "rx": .init(min(3, width / 2)),
                ], title: "\(words(span.value)) \(plot.span(span.time))")
        }
    }

    /// A state that a newer version has invented is one we do not know.
    private static func presence(_ state: String) -> String {
        ["inside", "outside"].contains(state) ? state : "unknown"
    }

    /// Returns the state in the language of the picture.
    private func words(_ state: String) -> String {
        RegionState(rawValue: state).map { plot.language(StatusPhrase($0)) } ?? state
    }

    private func drawScale(_ svg: inout SVGText) {
        let (left, chart) = (SVGText.Value(plot.layout.left).text, SVGText.Value(plot.layout.chart).text)
        let lines = scale.levels.map { "M\(left) \(SVGText.Value(scale.y(Double($0))).text)h\(chart)" }
        svg.add("path", ["class": "grid", "d": "\(lines.joined())"])
        for level in scale.levels {
            svg.add(
                "text",
                [
                    "class": "quiet small end", "x": .init(plot.layout.left - 8),
                    "y": .init(scale.y(Double(level)) + 4),
                ], "\(level)")
        }
    }

    /// Over the signal: they are what it is to be read against.
    private func drawThresholds(_ svg: inout SVGText) {
        // Where the two lie close, each has its own side of its line.
        let thresholds: [(String, PlotPhrase, Int?, Double)] = [
            ("enter", .enter, region.enterRSSI, -4), ("exit", .exit, region.exitRSSI, 12),
        ]
        for (name, phrase, threshold, offset) in thresholds {
            guard let threshold else { continue }
            let y = scale.y(Double(threshold))
            drawLine("threshold \(name)", at: y, &svg)
            svg.add(
                "text", ["class": "\(name) small end", "x": .init(plot.layout.right), "y": .init(y + offset)],
                plot.language(phrase, "\(threshold)"))
        }
    }

    private func drawLine(_ name: String, at y: Double, _ svg: inout SVGText) {
        svg.add(
            "line",
            [
                "class": "\(name)", "x1": .init(plot.layout.left), "x2": .init(plot.layout.right), "y1": .init(y),
                "y2": .init(y),
            ])
    }

    /// The units of the line of the signal in a dB: finer than the line is wide.
    private static let fineness = 4.0

    /// Draws the signal in columns and dB, which the picture scales: in pixels, equal steps would have different numbers.
    private func drawSignal(_ svg: inout SVGText) {
        var stretches: [[DayRecord.Signal]] = []
        for signal in region.signal {
            if signal.beginsStretch || stretches.isEmpty { stretches.append([]) }
            stretches[stretches.count - 1].append(signal)
        }
        guard !stretches.isEmpty else { return }
        let (column, dB) = (plot.columnWidth, scale.height(ofDB: 1))
        let origin = "translate(\(SVGText.number(plot.x(ofColumn: 0))) \(SVGText.number(scale.top)))"
        func draw(_ name: String, unitsInDB: Double, _ path: ([Point]) -> SVGPath) {
            let scaling = "scale(\(SVGText.number(column)) \(SVGText.number(dB / unitsInDB)))"
            svg.group("g", ["transform": "\(origin)\(scaling)"]) { svg in
                for stretch in stretches { svg.add("path", ["class": "\(name)", "d": .init(path(points(stretch)))]) }
            }
        }
        draw("band", unitsInDB: 1) { points in
            var band = SVGPath()
            for point in points { band.add(point.x, scale.depth(Double(point.signal.highest))) }
            for point in points.reversed() { band.add(point.x, scale.depth(Double(point.signal.lowest))) }
            band.close()
            return band
        }
        draw("signal", unitsInDB: Self.fineness) { points in
            var line = SVGPath()
            for point in points {
                line.add(point.x, (scale.depth(Double(point.signal.mean)) * Self.fineness).rounded())
            }
            return line
        }
    }

    private typealias Point = (x: Double, signal: DayRecord.Signal)

    /// Returns the points of the signal between two silences, in columns. A single value is drawn a minute wide, and at least a pixel.
    private func points(_ stretch: [DayRecord.Signal]) -> [Point] {
        if stretch.count == 1 {
            let half = max(0.5, plot.minuteWidth / 2) / plot.columnWidth
            return [-half, half].map { (Double(stretch[0].column) + $0, stretch[0]) }
        }
        return stretch.map { (Double($0.column), $0) }
    }

    /// The smallest distance of two marks. The tooltip of a mark names the minute.
    private static let markDistance = 13.0

    private func drawMarks(_ svg: inout SVGText) {
        var free = -Double.infinity
        for mark in region.marks.sorted(by: { $0.time < $1.time }) {
            let x = max(plot.x(mark.time), free)
            // Further ones would be drawn outside the picture.
            guard x <= plot.layout.width else { break }
            free = x + Self.markDistance
            svg.group("g", [:], title: "\(plot.clock(mark.time)) \(mark.text)") { svg in
                MarkGlyph(mark.kind).draw(&svg, x: x, y: Layout.marks)
            }
        }
    }
}
