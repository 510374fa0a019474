/// The text format of metric families.
package enum Exposition: Sendable, CaseIterable {
    /// OpenMetrics 1.0.0.
    case openMetrics
    /// The older format of Prometheus, its text format 0.0.4, which every collector reads.
    case prometheus

    /// Chooses OpenMetrics for a client that requests it: `Accept` names it, or accepts nothing else, and prefers no other
    /// format. All others get the older format, which `promtool check metrics` reads.
    ///
    /// - Parameter accept: The field of the request; `nil` if there is none.
    package init(accepting accept: String?) {
        let field = AcceptField(accept ?? "*/*")
        func quality(_ type: String, version: String) -> (value: Int, isNamed: Bool) {
            field.quality(
                of: type, [.init(name: "version", value: version), .init(name: "charset", value: "utf-8")])
                ?? (0, false)
        }
        let openMetrics = quality("application/openmetrics-text", version: "1.0.0")
        let prometheus = quality("text/plain", version: "0.0.4")
        let isEqual = openMetrics.value == prometheus.value && openMetrics.value > 0 && openMetrics.isNamed
        self = isEqual || openMetrics.value > prometheus.value ? .openMetrics : .prometheus
    }

    package var contentType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        }
    }

    /// The families, but those without a sample.
    package func text(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty {
            let name = self == .openMetrics ? family.name : family.name + family.suffix
            text += "# TYPE \(name) \(type(of: family))\n"
            if self == .openMetrics, let unit = family.unit { text += "# UNIT \(name) \(unit)\n" }
            text += "# HELP \(name) \(Self.escaped(family.help, quotes: self == .openMetrics))\n"
            for sample in family.samples { text += line(sample, family) }
        }
        return self == .openMetrics ? text + "# EOF\n" : text
    }

    private func type(of family: MetricFamily) -> String {
        self == .prometheus && family.kind == .info ? MetricFamily.Kind.gauge.rawValue : family.kind.rawValue
    }

    private func line(_ sample: MetricFamily.Sample, _ family: MetricFamily) -> String {
        let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
        let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        return "\(family.name)\(family.suffix)\(set) \(sample.value)\n"
    }

    /// Returns the text with escapes for the characters that would end a value, or the line. Prometheus takes a NUL for
    /// the end of the text.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quotes: escaped.append(contentsOf: "\\\"".unicodeScalars)
            case "\0": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

extension MetricFamily {
    /// The suffix of its samples' names.
    fileprivate var suffix: String {
        switch kind {
        case .counter: "_total"
        case .info: "_info"
        case .gauge: ""
        }
    }
}
