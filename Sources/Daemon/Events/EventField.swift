package import IBeacon
import RegionMonitoring

/// A field of an event, a name and a value: the one form from which JSON, the journal, the environment of hooks and the
/// columns of CSV are made. Other JSON objects on one line, such as a beacon that a scan finds, are
/// made of it as well.
package struct EventField: Sendable, Equatable {
    package var name: String
    package var value: Value

    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int)
        case number(Double)
        case flag(Bool)
        /// An unknown value.
        case null
        case object([EventField])
        case list([[EventField]])
        case values([Value])
    }

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// Of text; none for nil.
    package static func text(_ name: String, _ value: String?) -> [EventField] {
        value.map { [EventField(name, .text($0))] } ?? []
    }

    /// Of a whole number; none for nil.
    package static func integer(_ name: String, _ value: (some BinaryInteger)?) -> [EventField] {
        value.map { [EventField(name, .integer(Int(clamping: $0)))] } ?? []
    }

    /// Of a beacon, as it was heard.
    ///
    /// - Parameters:
    ///   - rssi: in dBm; `nil` if the controller has no value.
    ///   - accuracy: the estimated distance in metres, -1 when it is not known.
    package static func beacon(_ identity: BeaconIdentity, rssi: Int?, accuracy: Double) -> [EventField] {
        identity.fields + integer("rssi", rssi) + [
            EventField("accuracy", .number(accuracy.metres)),
            EventField("proximity", .text(Proximity(accuracy: accuracy).rawValue)),
        ]
    }

    /// The value on its own; nil for null, an object or a list.
    package var plain: String? {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .null, .object, .list, .values: nil
        }
    }
}

extension BeaconIdentity {
    /// uuid, major, minor.
    package var fields: [EventField] {
        EventField.text("uuid", uuid.description) + EventField.integer("major", major)
            + EventField.integer("minor", minor)
    }
}

extension [EventField] {
    /// The members of objects in the place of the objects, without lists.
    package var flat: [EventField] {
        flatMap { field -> [EventField] in
            switch field.value {
            case .object(let fields): fields.flat
            case .list, .values: []
            case .text, .integer, .number, .flag, .null: [field]
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
        case .number(let number): JSON.number(number)
        case .flag(let flag): "\(flag)"
        case .null: "null"
        case .object(let fields): fields.json
        case .list(let objects): "[" + objects.map(\.json).joined(separator: ",") + "]"
        case .values(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        }
    }
}
