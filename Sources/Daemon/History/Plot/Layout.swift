/// The positions, in pixels.
enum Layout {
    static let width = 960.0
    static let left = 64.0
    static let right = 928.0
    static let chart = right - left

    /// The end of the title and start of the first region, the height of a region, of the axis and of the legend.
    static let header = 76.0
    static let region = 208.0
    static let footer = 98.0

    /// The legend takes two lines at most.
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
