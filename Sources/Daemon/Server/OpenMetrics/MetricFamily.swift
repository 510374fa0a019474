/// Samples of one name, with what they mean (OpenMetrics 1.0.0, MetricFamily).
package struct MetricFamily: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// Only rises, from zero at the start.
        case counter
        /// What is now.
        case gauge
        /// What does not change while the program runs: labels are all there is, the value is 1.
        case info
    }

    package struct Sample: Sendable, Equatable {
        /// In the order in which they are written; the names are ours, the values anybody's.
        package var labels: [(name: String, value: String)]
        /// As it is written.
        package var value: String

        package static func == (left: Sample, right: Sample) -> Bool {
            left.value == right.value && left.labels.elementsEqual(right.labels, by: ==)
        }
    }

    /// Without `_total` and `_info`.
    package var name: String
    package var kind: Kind
    /// What the name ends with; nil: it counts things.
    package var unit: String?
    /// A sentence.
    package var help: String
    package var samples: [Sample] = []

    package init(_ name: String, _ kind: Kind, unit: String? = nil, _ help: String) {
        self.name = unit.map { "\(name)_\($0)" } ?? name
        self.kind = kind
        self.unit = unit
        self.help = help
    }

    package mutating func add(_ value: some BinaryInteger, _ labels: (name: String, value: String)...) {
        samples.append(Sample(labels: labels, value: "\(value)"))
    }

    package mutating func add(_ value: Double, _ labels: (name: String, value: String)...) {
        let text = value.isNaN ? "NaN" : value == .infinity ? "+Inf" : value == -.infinity ? "-Inf" : "\(value)"
        samples.append(Sample(labels: labels, value: text))
    }

    package mutating func add(_ value: Bool, _ labels: (name: String, value: String)...) {
        samples.append(Sample(labels: labels, value: value ? "1" : "0"))
    }
}
