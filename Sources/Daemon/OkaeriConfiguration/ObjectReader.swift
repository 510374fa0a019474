import OkaeriPlumbing

/// Takes values out of a JSON object by key and collects what is wrong with them, each with its place.
///
/// Every read answers nil for a value that is absent or wrong, so that one pass finds all mistakes.
struct ObjectReader {
    /// The mistakes found so far; shared by all readers of one document.
    final class Problems {
        private(set) var list: [ConfigurationError.Problem] = []
        /// The name of the region that is read, in quotation marks; empty if it has none, `nil` if another part is read.
        var region: String?

        /// - Parameter line: The line of the value, from 1; 0: it is not known.
        func add(_ problem: ConfigurationError.Problem, line: Int) {
            var problem = problem
            if let region {
                problem.region = .init(name: region.isEmpty ? nil : region, line: line > 0 ? line : nil)
            }
            list.append(problem)
        }
    }

    private let members: [String: JSONNode]
    private let line: Int
    private let path: String
    let problems: Problems

    /// - Parameters:
    ///   - node: The value, which should be an object with no other keys than `keys`.
    ///   - path: its place, empty at the top.
    ///   - main: The key whose value is often written in the place of the object, for an example of the right form.
    ///   - meant: Returns the value that another one in the place of the object probably means, as JSON, with
    ///     the members that follow it.
    /// - Returns: nil, and a mistake, when it is not an object.
    init?(
        _ node: JSONNode, path: String, keys: [String], main: String? = nil,
        meant: (JSONNode) -> String? = { _ in nil }, problems: Problems
    ) {
        self.path = path
        line = node.line
        self.problems = problems
        guard case .object(let members) = node.value else {
            let place = path.isEmpty ? "line \(node.line)" : path
            let example = main.flatMap { key in meant(node).map { ", such as {\"\(key)\": \($0)}" } }
            problems.add(
                .init(place: place, found: node.summary, expected: "an object" + (example ?? "")), line: node.line)
            return nil
        }
        self.members = Dictionary(members.map { ($0.key, $0.node) }, uniquingKeysWith: { first, _ in first })
        for member in members where !keys.contains(member.key) {
            problems.add(
                .init(
                    place: place(of: member.key), found: "an unknown key",
                    expected: "one of \(keys.joined(separator: ", "))",
                    suggestion: nearest(to: member.key, among: keys)), line: member.node.line)
        }
    }

    func place(of key: String) -> String {
        // An empty key is to be seen.
        let name = key.isEmpty ? "\"\"" : key
        return path.isEmpty ? name : "\(path).\(name)"
    }

    func node(_ key: String) -> JSONNode? { members[key] }

    /// The value of `key` as `convert` reads it; a mistake when it is there and `convert` answers nil.
    func value<T>(_ key: String, expected: String, _ convert: (JSONNode.Value) -> T?) -> T? {
        guard let node = members[key] else { return nil }
        if let value = convert(node.value) { return value }
        report(key, found: Configuration.privateKeys.contains(key) ? node.kind : node.summary, expected: expected)
        return nil
    }

    /// As ``value(_:expected:_:)``, and a mistake when it is absent.
    func required<T>(_ key: String, expected: String, _ convert: (JSONNode.Value) -> T?) -> T? {
        if members[key] == nil { report(key, found: "nothing", expected: expected) }
        return value(key, expected: expected, convert)
    }

    func report(_ key: String, found: String, expected: String) {
        problems.add(
            .init(place: place(of: key), found: found, expected: expected), line: members[key]?.line ?? line)
    }

    func string(_ key: String, expected: String, where isFine: (String) -> Bool = { _ in true }) -> String? {
        value(key, expected: expected) { $0.string.flatMap { isFine($0) ? $0 : nil } }
    }

    func bool(_ key: String) -> Bool? {
        value(key, expected: "true or false") { if case .bool(let bool) = $0 { bool } else { nil } }
    }

    func integer(_ key: String, in range: ClosedRange<Int>, unit: String = "") -> Int? {
        value(key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)\(unit)") {
            guard case .number(let number) = $0, let integer = Int(exactly: number) else { return nil }
            return range.contains(integer) ? integer : nil
        }
    }

    func number(_ key: String, in range: ClosedRange<Double>, unit: String) -> Double? {
        let bounds = [range.lowerBound, range.upperBound].map(\.plain)
        return value(key, expected: "a number from \(bounds[0]) to \(bounds[1])\(unit)") {
            guard case .number(let number) = $0, range.contains(number) else { return nil }
            return number
        }
    }
}

extension JSONNode.Value {
    package var string: String? { if case .string(let string) = self { string } else { nil } }

    package var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        let strings = elements.compactMap(\.value.string)
        return strings.count == elements.count ? strings : nil
    }
}

/// The word in `words` that was probably meant by `word`: the one with the fewest edits, if they are few.
package func nearest(to word: String, among words: [String]) -> String? {
    let distances = words.map { ($0, editDistance(Array(word.lowercased()), Array($0.lowercased()))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= max(2, best.0.count / 3) else { return nil }
    return best.0
}

/// Levenshtein's distance, two adjacent letters that changed places counted as one edit.
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var older = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    for i in left.indices {
        var current = [i + 1]
        for j in right.indices {
            var cost = min(previous[j] + (left[i] == right[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, older[j - 1] + 1) }
            current.append(cost)
        }
        (older, previous) = (previous, current)
    }
    return previous[right.count]
}
