import DBus

extension MirrorMachine.Notice {
    /// Creates the notice of a signal of bluetoothd about its objects; `nil` for any other signal.
    init?(_ signal: BusSignal) {
        let arguments = signal.arguments
        switch (signal.interface, signal.member, arguments.count) {
        case (Interface.objectManager, "InterfacesAdded", 2):
            guard let path = arguments[0].string, let interfaces = arguments[1].interfaces else { return nil }
            self = .added(path, interfaces)
        case (Interface.objectManager, "InterfacesRemoved", 2):
            guard let path = arguments[0].string, let interfaces = arguments[1].strings else { return nil }
            self = .removed(path, interfaces)
        case (Interface.properties, "PropertiesChanged", 3):
            guard let interface = arguments[0].string, let changed = arguments[1].properties,
                let invalidated = arguments[2].strings
            else { return nil }
            self = .changed(signal.path, interface, changed, invalidated: invalidated)
        default:
            return nil
        }
    }
}

extension DBusValue {
    /// `a{sa{sv}}`: the interfaces of an object.
    var interfaces: ObjectTree.Interfaces? { members?.compactMapValues(\.properties) }

    /// `a{oa{sa{sv}}}`: what GetManagedObjects answers.
    var managedObjects: [String: ObjectTree.Interfaces]? { members?.compactMapValues(\.interfaces) }

    private var members: [String: DBusValue]? {
        dictionary.map { entries in
            Dictionary(
                entries.compactMap { key, value in key.string.map { ($0, value) } },
                uniquingKeysWith: { first, _ in first })
        }
    }
}
