import FoundationEssentials
import OkaeriFuzzSupport
import Hummingbird
import OkaeriEvents

/// The rules for an answer to a query.
struct QueryRules {
    let answer: Page.Answer

    /// As the router reads it, which takes several slashes for one.
    private var path: String { "/" + answer.request.uri.path.split(separator: "/").joined(separator: "/") }

    private func parameter(_ name: String) -> String? {
        answer.request.uri.queryParameters[Substring(name)].map(String.init)
    }

    func check() {
        require([200, 400, 404, 405].contains(answer.status), "the answer is \(answer.status)")
        guard let text = String(validating: answer.content, as: UTF8.self) else {
            return require(false, "an answer that is not UTF-8")
        }
        guard answer.status == 200 else { return checkRefusal() }
        switch path {
        case Route.history: checkHistory()
        case Route.mistakes, Route.days, Route.networks, Route.configuration, Route.enrollment: requireObject()
        case Route.signal:
            let report = decoded(SignalReport.self)
            let expected = parameter(Route.region) == "home" ? 5 : 0
            require(report?.points.count == expected, "another region's signal")
        default:
            require(path.hasPrefix("\(Route.days)/") && path.hasSuffix(".svg"), "there is something at \(path)")
            require(text.hasPrefix("<svg") && text.contains("</svg>") && text.utf8.count < 1 << 18, "no picture")
        }
    }

    /// The events lie in the span, concern the region, and the number to go on with leads on.
    private func checkHistory() {
        guard let page = decoded(HistoryPage.self), let from = parameter(Route.from).flatMap(Timestamp.nanoseconds),
            let to = parameter(Route.to).flatMap(Timestamp.nanoseconds)
        else { return require(false, "a history of no span") }
        require(page.events.allSatisfy { from <= $0.time && $0.time < to }, "an event outside of the span")
        if let region = parameter(Route.region) {
            require(page.events.allSatisfy { $0.kind.region == region }, "an event of another region")
        }
        let times = page.events.map(\.time)
        require(times == times.sorted(), "the events are in no order")
        require(page.next == nil || page.events.count == 2000, "there is more, and little was answered")
        let isAll = from == .min && to == .max && parameter(Route.region) == nil && parameter(Route.after) == nil
        if isAll { require(page.events.count == 48, "an event is missing") }
    }

    private func checkRefusal() {
        let report = decoded(ErrorReport.self)
        require(report?.error.isEmpty == false, "a refusal without a sentence")
        let isPlain = report?.error.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ?? false
        require(isPlain, "a sentence with control characters")
    }

    private func requireObject() {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        require(decoded([String: Anything].self) != nil, "an answer that is not an object")
    }

    private func decoded<Value: Decodable>(_ type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(answer.content))
    }
}

extension Event.Kind {
    /// The region of an event of a beacon.
    fileprivate var region: String? {
        switch self {
        case .didExitRegion(let region), .didDetermineState(let region, _): region
        default: nil
        }
    }
}
