/// Samples of one name, with what they mean (OpenMetrics 1.0.0, MetricFamily).
package struct MetricFamily: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// Only rises, from zero at the start.
        case counter
        /// A present value.
        case gauge
        /// A constant while the program runs: only its labels matter, the value is 1.
        case info
    }

    package struct Sample: Sendable, Equatable {
        /// In the order in which they are written; the names are ours, the values may come from outside.
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
    /// The suffix of the name; `nil`: it counts things.
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
