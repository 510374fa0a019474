/// The positions, in pixels.
struct Layout: Sendable {
    let width: Double

    /// The widths that can be asked for: from a small phone on.
    private static let widths = 280.0...960.0

    /// Whether title and time zone have a line each, and the margins are small.
    var isNarrow: Bool { width < 640 }

    // The page has the same margins, for the time below the pointer: picture.js.
    var left: Double { isNarrow ? 40 : 64 }
    var right: Double { width - (isNarrow ? 12 : 32) }
    var chart: Double { right - left }

    /// The largest number of lines with a time in a part of a day.
    var ticks: Int64 { isNarrow ? 5 : 10 }

    static let wide = Layout(width: widths.upperBound)

    init(width: Double) { self.width = min(Self.widths.upperBound, max(Self.widths.lowerBound, width)) }

    /// The end of the title and start of the first region, the height of a region.
    static let header = 76.0
    static let region = 208.0

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
