import Foundation
import FoundationXML
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory

@Suite struct DayPlotTests {
    private func svg(_ record: DayRecord, _ layout: Layout = .wide, _ language: Language = .english) -> String {
        let ticks = (0...24).map { DayPlot.Tick(time: hour(Double($0)), label: $0 % 3 == 0 ? "\($0):00" : nil) }
        return DayPlot(
            record: record, title: "A <day> & \"night\"", subtitle: "UTC", ticks: ticks, layout: layout,
            language: language
        ) {
            time in
            "\((time &- midnight) / 3_600_000_000_000)h"
        }.svg
    }

    private func record(_ regions: [DayRecord.Region]) -> DayRecord {
        DayRecord(start: hour(0), end: hour(24), regions: regions)
    }

    /// The elements of the document with this class.
    private func elements(_ svg: String, _ name: String) throws -> [XMLElement] {
        let document = try XMLDocument(xmlString: svg)
        return try document.nodes(forXPath: "//*[contains(concat(' ', @class, ' '), ' \(name) ')]").compactMap {
            $0 as? XMLElement
        }
    }

    private func attribute(_ element: XMLElement?, _ name: String) throws -> String? {
        try element?.nodes(forXPath: "@\(name)").first?.stringValue
    }

    private func number(_ element: XMLElement?, _ name: String) throws -> Double? {
        try attribute(element, name).flatMap(Double.init)
    }

    private let home = DayRecord.Region(
        identifier: "home",
        spans: [
            .init(time: hour(0)..<hour(6), value: "inside"), .init(time: hour(6)..<hour(12), value: "outside"),
            .init(time: hour(12)..<hour(13), value: "odd"),
        ],
        marks: [
            .init(time: hour(1), kind: .prompt, text: "join?"), .init(time: hour(2), kind: .answer, text: "join"),
            .init(time: hour(3), kind: .joined, text: "joined"), .init(time: hour(4), kind: .joinFailed, text: "no"),
        ], enterRSSI: -70, exitRSSI: -80)

    @Test func `a state's bar is at its time, and has it as a title`() throws {
        let svg = svg(record([home]))
        let inside = try elements(svg, "inside").first { $0.name == "rect" }
        #expect(try number(inside, "x") == Layout.wide.left)
        #expect(try number(inside, "width") == Layout.wide.chart / 4)
        #expect(inside?.stringValue == "inside 0h–6h")
        let outside = try elements(svg, "outside").first
        #expect(try number(outside, "x") == Layout.wide.left + Layout.wide.chart / 4)
        #expect(try elements(svg, "unknown").first?.stringValue == "odd 12h–13h")
        #expect(svg.contains("inside for 6 h 0 min"))
    }

    @Test func `a day of changes in each second has a picture with one in each pixel`() throws {
        let second: Int64 = 1_000_000_000
        let spans = (0..<86_400 as Range<Int64>).map { number in
            let start = hour(0) + number * second
            return DayRecord.Span(time: start..<start + second, value: number % 2 == 0 ? "inside" : "outside")
        }
        let marks = spans.map { DayRecord.Mark(time: $0.time.lowerBound, kind: .prompt, text: "join?") }
        var record = record([DayRecord.Region(identifier: "home", spans: spans, marks: marks)])
        record.outages = spans
        let svg = svg(record)
        #expect(svg.utf8.count < 300_000)
        #expect(try elements(svg, "inside").count + elements(svg, "outside").count <= Int(Layout.wide.chart) + 4)
        #expect(try elements(svg, "mark").count < 80)
        #expect(svg.contains("inside for 12 h 0 min"), "the sum is of all of them")
    }

    @Test func `a picture without signals has the bars of presence and the marks alone`() throws {
        var region = home
        region.signal = [DayRecord.Signal(column: 60, beginsStretch: true, lowest: -70, highest: -55, mean: -61)]
        let day = record([region, region])
        let (whole, bars) = (svg(day), svg(day, Layout(width: 360, hasSignals: false)))
        #expect(try elements(whole, "signal").count == 3 && elements(whole, "threshold").count == 4)
        #expect(try elements(bars, "signal").isEmpty && elements(bars, "threshold").isEmpty)
        #expect(try elements(bars, "inside").count == 3 && elements(bars, "prompt").count == 3)
        let heights = try [whole, bars].map { try number(XMLDocument(xmlString: $0).rootElement(), "height") ?? 0 }
        #expect(heights[1] < heights[0] - 200)
    }

    @Test func `marks, outages and times without a daemon are drawn and explained`() throws {
        var day = record([home])
        day.outages = [.init(time: hour(20)..<hour(21), value: "Bluetooth is off")]
        day.unwatched = [hour(22)..<hour(24)]
        let svg = svg(day)
        for name in ["prompt", "answer", "joined", "joinFailed"] {
            #expect(try elements(svg, name).count == 2, "\(name): in the chart and in the legend")
        }
        #expect(try elements(svg, "outage").first?.stringValue == "Bluetooth is off, 20h–21h")
        #expect(try elements(svg, "unwatched").first?.stringValue == "not watched, 22h–24h")
        #expect(svg.contains("no Bluetooth") && svg.contains("1h join?"))
    }

    @Test func `a picture in Japanese has no English words`() throws {
        var day = record([home])
        day.outages = [.init(time: hour(20)..<hour(21), value: "Bluetooth")]
        day.unwatched = [hour(22)..<hour(24)]
        day.regions[0].signal = [signal(60, -60)]
        let document = try XMLDocument(xmlString: svg(day, .wide, .japanese))
        let texts = try document.nodes(forXPath: "//*[local-name()='text']").compactMap(\.stringValue)
        #expect(texts.contains("圏内 6 時間 0 分") && texts.contains("接続失敗") && texts.contains("記録なし"))
        let words = ["inside", "outside", "unknown", "enter", "exit", "prompt", "joined", "watched", "signal", "min"]
        for text in texts { for word in words { #expect(!text.contains(word), "\(text)") } }
        #expect(try elements(svg(day, .wide, .japanese), "inside").first?.stringValue == "圏内 0h–6h")
    }

    @Test func `the signal is a line within its range, parted by silence`() throws {
        var region = home
        region.signal =
            (0..<10).map { signal($0, -60, beginsStretch: $0 == 0) }
            + (30..<40).map { signal($0, -70, beginsStretch: $0 == 30) } + [signal(300, -65)]
        let svg = svg(record([region]))
        let scale = SignalScale(region, top: Layout.signal)
        let lines = try elements(svg, "signal").filter { try attribute($0, "d")?.contains("h") == false }
        let drawn = try lines.map { try points($0) }
        #expect(drawn.map(\.count) == [10, 10, 2])
        for (line, rssi) in zip(drawn, [-60.0, -70, -65]) {
            #expect(line.allSatisfy { abs($0.y - scale.y(rssi)) <= 0.3 })
        }
        let bands = try elements(svg, "band").filter { $0.name == "path" }
        let outlines = try bands.map { try points($0) }
        #expect(outlines.map(\.count) == [20, 20, 4])
        let edges = outlines.first?.map(\.y) ?? []
        #expect(edges.min().map { abs($0 - scale.y(-57)) <= 0.01 } == true)
        #expect(edges.max().map { abs($0 - scale.y(-63)) <= 0.01 } == true)
        #expect(svg.contains("vector-effect:non-scaling-stroke"), "the line has one width in all directions")
    }

    @Test(arguments: [300.0, 640, 960])
    func `the signal is at its column and level, whatever the picture's width`(width: Double) throws {
        var region = home
        let layout = Layout(width: width)
        let columns = UInt16(layout.columns)
        region.signal = (0..<columns).map {
            DayRecord.Signal(
                column: $0, beginsStretch: $0 == 0, lowest: -93, highest: Int8(-52 - Int($0) % 3), mean: -70.3)
        }
        var day = record([region])
        day.columns = Int(columns)
        let svg = svg(day, layout)
        let scale = SignalScale(region, top: Layout.signal)
        let line = try points(#require(try elements(svg, "signal").first { $0.name == "path" }))
        let band = try points(#require(try elements(svg, "band").first { $0.name == "path" }))
        #expect(line.count == Int(columns) && band.count == 2 * Int(columns))
        for (column, point) in line.enumerated() {
            let x = layout.left + (Double(column) + 0.5) * layout.chart / Double(columns)
            #expect(abs(point.x - x) <= 0.1 && abs(point.y - scale.y(-70.3)) <= 0.3)
            #expect(abs(band[column].x - x) <= 0.1 && abs(band[column].y - scale.y(Double(-52 - column % 3))) <= 0.1)
        }
    }

    /// Returns the points in pixels of a path, which goes from one to the next in steps, in the units of its group.
    private func points(_ path: XMLElement) throws -> [(x: Double, y: Double)] {
        let numbers = try numbers(#require(try attribute(path, "d")))
        try #require(numbers.count.isMultiple(of: 2))
        let group = try #require(path.parent as? XMLElement)
        let transform = try self.numbers(#require(try attribute(group, "transform")))
        try #require(transform.count == 4)
        var (x, y) = (0.0, 0.0)
        return stride(from: 0, to: numbers.count, by: 2).map { index in
            (x, y) = (x + numbers[index], y + numbers[index + 1])
            return (transform[0] + transform[2] * x, transform[1] + transform[3] * y)
        }
    }

    private func numbers(_ text: String) throws -> [Double] {
        text.matches(of: /-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)/).compactMap { Double($0.output) }
    }

    @Test func `a picture that is handed out in parts is the same picture`() {
        var region = home
        region.signal = (0..<1440).map { signal($0, -60 - $0 % 7) }
        let day = DayPlot(
            record: record(Array(repeating: region, count: 20)), title: "A day", subtitle: "UTC", ticks: [],
            clock: { "\($0)" })
        var parts: [String] = []
        day.write { parts.append($0) }
        #expect(parts.joined() == day.svg && day.svg.hasSuffix("</svg>\n"))
        #expect(parts.count > 5 && parts.allSatisfy { $0.utf8.count < 64 << 10 })
    }

    @Test func `a path has steps of half pixels, without a sign that needs none`() {
        var path = SVGPath()
        for (x, y) in [(64.5, 120.2), (65.5, 118), (66.5, 118), (66, 118.74)] { path.add(x, y) }
        path.close()
        #expect(path.text == "M64.5 120l1-2 1 0-.5 .5z")
    }

    @Test func `thresholds lie at their level`() throws {
        let thresholds = try elements(svg(record([home])), "threshold")
        let scale = SignalScale(home, top: Layout.signal)
        #expect(
            try thresholds.map { try number($0, "y1") }
                == [scale.y(-70), scale.y(-80)].map { ($0 * 10).rounded() / 10 })
        #expect(scale.y(-70) < scale.y(-80))
    }

    @Test func `the scale holds whatever was heard`() {
        var region = DayRecord.Region(identifier: "home")
        #expect(SignalScale(region, top: 0).levels == [-50, -60, -70, -80, -90])
        for rssi in [-127, -104, -3, 20, 127, -128] {
            region.signal = [signal(60, rssi)]
            let scale = SignalScale(region, top: 0)
            #expect(scale.levels.count >= 2 && scale.levels.count < 10)
            #expect((0...Layout.signalHeight).contains(scale.y(Double(rssi))))
        }
    }

    @Test func `names are text, whatever they hold`() throws {
        var region = home
        region.identifier = "</text><script>\u{1}&"
        region.marks = [.init(time: hour(1), kind: .prompt, text: "join “]]>\"\u{0}”?")]
        let svg = svg(record([region]))
        #expect(!svg.contains("<script>"))
        #expect(try elements(svg, "name").first?.stringValue == "</text><script>\u{FFFD}&")
    }

    @Test func `a day of which nothing is known, and times out of it, are drawn all the same`() throws {
        #expect(svg(record([])).contains("nothing is known"))
        var region = home
        region.spans = [.init(time: .min ..< .max, value: "inside")]
        region.marks = [.init(time: .max, kind: .prompt, text: "")]
        var day = DayRecord(start: .min, end: .max, regions: [region])
        _ = try elements(svg(day), "inside")
        (day.start, day.end) = (hour(1), hour(1))
        _ = try elements(svg(day), "inside")
    }

    @Test(arguments: [280.0, 360, 639, 640, 960])
    func `a narrow picture has all within its width`(width: Double) throws {
        var region = home
        region.identifier = String(repeating: "家の鍵 ", count: 30)
        region.signal = [signal(60, -60)]
        var day = record([region])
        day.outages = [.init(time: hour(20)..<hour(21), value: "Bluetooth is off")]
        day.unwatched = [hour(22)..<hour(24)]
        let svg = svg(day, Layout(width: width))
        #expect(svg.contains("viewBox=\"0 0 \(Int(width)) "))
        let bars = try elements(svg, "inside") + elements(svg, "outside") + elements(svg, "unwatched")
        for bar in bars {
            let end = try #require(try number(bar, "x")) + #require(try number(bar, "width"))
            #expect(end <= width)
        }
        let name = try #require(try elements(svg, "name").first?.stringValue)
        #expect(name.hasPrefix("家の鍵") && name.hasSuffix("…"))
        let height = try #require(try number(XMLDocument(xmlString: svg).rootElement(), "height"))
        let texts = try XMLDocument(xmlString: svg).nodes(forXPath: "//*[local-name()='text']")
        for text in texts.compactMap({ $0 as? XMLElement }) {
            #expect(try number(text, "y") ?? 0 < height && number(text, "x") ?? 0 < width)
        }
    }

    @Test func `a width out of bounds is the nearest one`() {
        #expect([-1, 0, 279, 100_000].map { Layout(width: $0).width } == [280, 280, 280, 960])
    }

    @Test func `there is a look for the dark`() {
        #expect(svg(record([])).contains("prefers-color-scheme:dark"))
    }
}
