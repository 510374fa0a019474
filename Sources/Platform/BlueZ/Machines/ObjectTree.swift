import DBus

/// The objects of bluetoothd: a path, its interfaces, their properties (`org.freedesktop.DBus.ObjectManager`).
struct ObjectTree: Sendable, Equatable {
    typealias Properties = [String: DBusValue]
    typealias Interfaces = [String: Properties]

    private(set) var objects: [String: Interfaces] = [:]

    subscript(_ path: String, _ interface: String) -> Properties? { objects[path]?[interface] }

    /// The paths of the objects below another, or of all, that have an interface, in their order.
    func paths(with interface: String, below path: String = "") -> [String] {
        objects.filter { $0.key.hasPrefix(path + "/") && $0.value[interface] != nil }.keys.sorted()
    }

    mutating func add(_ path: String, _ interfaces: Interfaces) {
        objects[path, default: [:]].merge(interfaces) { _, new in new }
    }

    /// Returns whether anything was there to be removed.
    mutating func remove(_ path: String, _ interfaces: [String]) -> Bool {
        guard var left = objects[path] else { return false }
        let before = left.count
        for interface in interfaces { left[interface] = nil }
        objects[path] = left.isEmpty ? nil : left
        return left.count < before
    }

    /// Changes or removes properties. Returns whether the object is known; those of another are of no use.
    mutating func change(
        _ path: String, _ interface: String, _ changed: Properties, invalidated: [String]
    ) -> Bool {
        guard objects[path]?[interface] != nil else { return false }
        objects[path]?[interface]?.merge(changed) { _, new in new }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        return true
    }
}
