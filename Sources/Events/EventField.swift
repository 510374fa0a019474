/// What an event says, a name and a value each: the one form that JSON, the journal, the environment of hooks and the
/// columns of CSV are made of.
package struct EventField: Sendable, Equatable {
    package var name: String
    package var value: Value

    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int)
        case number(Double)
        case object([EventField])
        case list([[EventField]])
    }

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// Of text; none for nil.
    package static func text(_ name: String, _ value: String?) -> [EventField] {
        value.map { [EventField(name, .text($0))] } ?? []
    }

    /// The value on its own; nil for an object or a list.
    package var plain: String? {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .object, .list: nil
        }
    }
}

extension [EventField] {
    /// The members of objects in the place of the objects, without lists.
    package var flat: [EventField] {
        flatMap { field -> [EventField] in
            switch field.value {
            case .object(let fields): fields.flat
            case .list: []
            case .text, .integer, .number: [field]
            }
        }
    }

    /// The fields as one JSON object on one line, in their order: an event begins with its time, as people read it.
    /// An encoder would shuffle or sort the keys.
    package var json: String {
        "{" + map { "\(JSON.text($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
    }
}

extension EventField.Value {
    fileprivate var json: String {
        switch self {
        case .text(let text): JSON.text(text)
        case .integer(let number): "\(number)"
        case .number(let number): JSON.encoded(number)
        case .object(let fields): fields.json
        case .list(let objects): "[" + objects.map(\.json).joined(separator: ",") + "]"
        }
    }
}
