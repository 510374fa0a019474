package struct BusInterface: Sendable {
    package struct Call: Sendable {
        /// The unique name of the caller.
        package var sender: String
        package var arguments: [DBusValue]
    }

    package struct Refusal: Error, Hashable, Sendable {
        /// As in `org.bluez.Error.InvalidOffset`.
        package var name: String
        package var message: String

        package init(_ name: String, _ message: String) {
            self.name = name
            self.message = message
        }
    }

    /// Answers a call. The calls of an interface come one after another.
    package typealias Handler = @Sendable (Call) async -> Result<[DBusValue], Refusal>

    package struct Method: Sendable {
        package var name: String
        /// The signatures of the arguments, one each.
        package var takes: [String]
        package var returns: [String]
        package var handler: Handler

        /// Receives a call when it arrives, before those that wait for a handler; `nil`: the call waits for its turn.
        package var arrival: (@Sendable (Call) -> Void)?

        /// A method without arguments and answer, whose calls do not wait for those of other methods and are never refused.
        ///
        /// - Parameter arrival: Receives the calls in their order. It must not wait.
        package init(_ name: String, arrival: @escaping @Sendable (Call) -> Void) {
            self.init(name) { _ in .success([]) }
            self.arrival = arrival
        }

        package init(
            _ name: String, takes: [String] = [], returns: [String] = [], handler: @escaping Handler
        ) {
            self.name = name
            self.takes = takes
            self.returns = returns
            self.handler = handler
        }
    }

    package struct Property: Sendable {
        package var name: String
        package var type: String
        package var value: @Sendable () -> DBusValue

        package init(_ name: String, type: String, value: @escaping @Sendable () -> DBusValue) {
            self.name = name
            self.type = type
            self.value = value
        }

        /// One that never changes.
        package init(_ name: String, _ value: DBusValue) {
            self.init(name, type: value.type) { value }
        }
    }

    package var name: String
    package var methods: [Method]
    package var properties: [Property]

    package init(_ name: String, methods: [Method] = [], properties: [Property] = []) {
        self.name = name
        self.methods = methods
        self.properties = properties
    }

    /// All properties and their values, in the form of ObjectManager and GetAll.
    package var values: [String: DBusValue] {
        Dictionary(properties.map { ($0.name, $0.value()) }, uniquingKeysWith: { $1 })
    }

    var introspection: String {
        func arguments(_ types: [String], _ direction: String) -> String {
            types.map { "<arg type='\($0)' direction='\(direction)'/>" }.joined()
        }
        let methods = methods.map {
            "<method name='\($0.name)'>\(arguments($0.takes, "in"))\(arguments($0.returns, "out"))</method>"
        }
        let properties = properties.map { "<property name='\($0.name)' type='\($0.type)' access='read'/>" }
        return "<node><interface name='\(name)'>\((methods + properties).joined())</interface></node>"
    }
}
