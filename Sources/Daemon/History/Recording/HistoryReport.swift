package import OkaeriConfiguration
package import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

package struct HistoryReport: Sendable {
    package enum Form: Sendable, CaseIterable {
        case text, json, csv

        /// The first line, where there is one beside the events.
        package var header: String? { self == .csv ? RecordedEvent.header : nil }

        package func line(_ event: HistoryEvent) -> String {
            switch self {
            case .text: RecordedEvent(event).line
            case .json: event.json
            case .csv: RecordedEvent(event).csv
            }
        }
    }

    package var directory: String
    package var region: String?
    /// None before this time: nanoseconds since the Unix epoch.
    package var since: Int64?
    package var form: Form

    package init(directory: String, region: String?, since: Int64?, form: Form) {
        self.directory = directory
        self.region = region
        self.since = since
        self.form = form
    }

    /// Hands out the lines, until `print` throws.
    package func forEachLine(_ print: (String) throws -> Void) throws {
        let reader = try HistoryReader(directory: directory)
        if let header = form.header { try print(header) }
        var failure: (any Error)?
        try reader.forEachEvent(region: region, since: since) { event in
            do {
                try print(form.line(event))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}

/// The picture of `okaeri plot`: a day of the house, in the machine's time zone.
package struct DayChart: Sendable {
    /// The state directory that holds the history.
    package var directory: String

    /// Some moment of the day, in nanoseconds since the Unix epoch.
    package var day: Int64

    /// Only this part of the day, in nanoseconds since the Unix epoch; nil, or another day's: all of it.
    package var window: Range<Int64>?

    /// In pixels, within the limits of the picture: a narrow one is for a phone.
    package var width = Self.widest

    package var language = Language.english

    /// The width for a screen that is not narrow.
    package static let widest = Int(Layout.wide.width)

    /// The regions as they are configured now, with their thresholds; none where the configuration is not at hand.
    package var regions: [Configuration.Region]

    /// The regions in the picture.
    package enum Scope: String, Sendable {
        case configured
        /// The regions that were renamed or deleted.
        case former
    }

    /// The regions in the picture; `nil` for all.
    package var scope: Scope?

    /// Whether each region has its signal below the bar of its presence.
    package var hasSignals = true

    package init(directory: String, day: Int64, regions: [Configuration.Region]) {
        self.directory = directory
        self.day = day
        self.regions = regions
    }

    /// Returns the picture.
    ///
    /// - Parameter now: the present: what is to come is not known.
    package func svg(now: Int64) throws(HistoryError) -> String { try plot(now: now).svg }

    /// Draws the picture in parts.
    ///
    /// - Parameters:
    ///   - now: the present: what is to come is not known.
    ///   - write: Receives each part.
    package func draw(now: Int64, to write: @escaping (String) -> Void) throws(HistoryError) {
        try plot(now: now).write(to: write)
    }

    private func plot(now: Int64) throws(HistoryError) -> DayPlot {
        var start = LocalTime.startOfDay(day)
        var end = LocalTime.startOfDay(day, adding: 1)
        let ofDay = (window?.clamped(to: start..<end)).flatMap { $0.isEmpty ? nil : $0 }
        let layout = Layout(width: Double(width), hasSignals: hasSignals)
        let step = ofDay.map { Self.step($0.upperBound - $0.lowerBound, lines: layout.ticks) }
        if let ofDay { (start, end) = (ofDay.lowerBound, ofDay.upperBound) }
        let reader = try HistoryReader(directory: directory)
        var record = try reader.day(
            from: start, to: end, now: now, columns: layout.columns, regions: regions.map(\.identifier),
            language: language)
        for (index, region) in regions.enumerated() {
            record.regions[index].enterRSSI = region.monitored.onlySign?.enterRSSI
            record.regions[index].exitRSSI = region.monitored.onlySign?.exitRSSI
        }
        switch scope {
        case .configured: record.regions.removeLast(record.regions.count - regions.count)
        case .former: record.regions.removeFirst(regions.count)
        case nil: break
        }
        return DayPlot(
            record: record, title: language.date(start), subtitle: zone(start, end),
            ticks: step.map { Self.ticks(start, end, each: $0) }
                ?? Self.ticks(start, end, each: layout.isNarrow ? 6 : 3),
            layout: layout, language: language, clock: LocalTime.clock)
    }

    private static let hour: Int64 = 3_600_000_000_000

    private static let minute: Int64 = 60_000_000_000

    /// Returns the distance of the lines for a part of the day, for so many of them at most.
    private static func step(_ span: Int64, lines: Int64) -> Int64 {
        [1, 2, 5, 10, 15, 30, 60, 120, 180].map { $0 * minute }.first { span / $0 <= lines } ?? 6 * hour
    }

    /// A line each so many minutes, counted from midnight, with the time below it.
    private static func ticks(_ start: Int64, _ end: Int64, each step: Int64) -> [DayPlot.Tick] {
        // The window comes from a request: it may lie where the next whole step has no number.
        let midnight = LocalTime.startOfDay(start)
        let passed = start.addingClamped(midnight == .min ? 0 : -midnight)
        let first = midnight.addingClamped(passed.addingClamped(step - 1) / step * step)
        return (0...(end - start) / step).map { first.addingClamped($0 * step) }.filter { start...end ~= $0 }.map {
            DayPlot.Tick(time: $0, label: LocalTime.clock($0))
        }
    }

    /// A line each hour, a time at every so many. When the clock is changed, an hour is missing or there twice.
    private static func ticks(_ start: Int64, _ end: Int64, each hours: Int) -> [DayPlot.Tick] {
        (0...(end - start) / hour).map { count in
            let time = start + count * hour
            let label = LocalTime.clock(time)
            let isLabelled = label.hasSuffix(":00") && (Int(label.prefix(2)) ?? 0) % hours == 0
            return DayPlot.Tick(time: time, label: time == end ? "24:00" : isLabelled ? label : nil)
        }
    }

    /// The zone, and both of them on the day it changes.
    private func zone(_ start: Int64, _ end: Int64) -> String {
        let zones = [LocalTime.zone(start), LocalTime.zone(end)]
        return zones[0] == zones[1] ? zones[0] : language(PlotPhrase.zones, zones)
    }
}
