import Events

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
    /// The time of day, for tooltips.
    let clock: (Int64) -> String

    /// The whole document.
    var svg: String {
        var svg = SVGText()
        let regions = record.regions.enumerated().map { index, region in
            RegionPlot(region, top: Layout.header + Double(index) * Layout.region, plot: self)
        }
        let bottom = Layout.header + Double(max(1, regions.count)) * Layout.region
        let legend = Legend(record: record, layout: layout)
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
                svg.add("text", ["class": "quiet", "x": .init(layout.left), "y": 120], "nothing is known of this day")
            }
            drawShades(&svg, bottom: bottom)
            for region in regions { region.draw(&svg) }
            legend.draw(&svg, y: bottom + Layout.axis)
        }
        return svg.text
    }

    /// The content of the picture, for screen readers.
    private var description: String {
        let presence = record.regions.map { "\($0.identifier) inside for \(Self.duration($0.inside))" }
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
        for time in record.unwatched { shade(time, "unwatched", "not watched") }
        for outage in record.outages { shade(outage.time, "outage", outage.value) }
    }

    // MARK: Times

    func x(_ time: Int64) -> Double {
        let (length, since) = (Double(record.end) - Double(record.start), Double(time) - Double(record.start))
        return layout.left + layout.chart * min(1, max(0, since / max(1, length)))
    }

    /// Never less than can be seen.
    func width(_ time: Range<Int64>) -> Double { max(0.8, x(time.upperBound) - x(time.lowerBound)) }

    func span(_ time: Range<Int64>) -> String { "\(clock(time.lowerBound))–\(clock(time.upperBound))" }

    /// `9 h 42 min`.
    static func duration(_ nanoseconds: Int64) -> String {
        let minutes = nanoseconds / SignalMinute.length
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }
}

extension DayRecord.Region {
    var inside: Int64 {
        spans.reduce(0) { $1.value == "inside" ? $0 &+ ($1.time.upperBound &- $1.time.lowerBound) : $0 }
    }
}
