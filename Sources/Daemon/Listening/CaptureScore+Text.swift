import Plumbing

extension CaptureScore {
    /// For a person.
    package var text: String {
        let deaf = air.deaf > 0 ? "; for \(air.deaf.plain) s none of them was heard, which is no silence" : ""
        let capture = "\(Self.time(hours)) recorded\n  In the air: \(air.devices) devices\(deaf)"
        return ([capture] + regions.map(\.text)).joined(separator: "\n\n")
    }

    fileprivate static func time(_ hours: Double) -> String {
        hours < 2 ? "\((hours * 60).rounded(digits: 1).plain) min" : "\(hours.rounded(digits: 1).plain) h"
    }
}

extension CaptureScore.Region {
    fileprivate var text: String {
        guard advertisements > 0 else { return "\(identifier)  was never heard: none of its beacons is in the capture" }
        let fields = [
            ("beacons", "\(beacons) with \(advertisements) advertisements"), ("sends", sends),
            ("gaps", quantiles), ("longest", longest), ("absences", "\(absences)"),
        ].map { "  \($0.padding(to: 10))\($1)" }
        let heading = ["exit time", "false exits", "a day", "half within", "90 % within"]
        let table = ([heading] + settings.map(\.cells)).map { cells in
            "  " + zip(cells, [24, 13, 9, 13, 0]).map { $0.padding(to: $1) }.joined()
        }
        return (["\(identifier)  inside for \(CaptureScore.time(insideHours))"] + fields + [""] + table)
            .joined(separator: "\n")
    }

    private var sends: String {
        guard let advertisingInterval, let loss else { return "how often is unknown" }
        return "every \(advertisingInterval.plain) s; \(Int((loss * 100).rounded())) % of that is lost"
    }

    private var quantiles: String {
        guard let gaps else { return "unknown" }
        let parts = [("half", gaps.median), ("90 %", gaps.p90), ("99 %", gaps.p99), ("99.9 %", gaps.p999)]
        return parts.map { "\($0) up to \($1.plain) s" }.joined(separator: ", ")
    }

    private var longest: String {
        let longer = longSilences > 0 ? "\(longSilences) longer silences, which are no gaps" : nil
        let longest = gaps.map { $0.longest.map { $0.rounded(digits: 1).plain }.joined(separator: ", ") + " s" }
        return [longest, longer].compactMap { $0 }.joined(separator: "; ")
    }
}

extension CaptureScore.Setting {
    fileprivate var cells: [String] {
        func seconds(_ time: Double?) -> String { time.map { "\($0.plain) s" } ?? "?" }
        let name = exitAfter.map { "exitAfter \($0.plain)" } ?? setting
        return [
            name + (inForce ? ", in force" : ""), "\(falseExits)", perDay?.plain ?? "?", seconds(medianDelay),
            seconds(p90Delay),
        ]
    }
}
