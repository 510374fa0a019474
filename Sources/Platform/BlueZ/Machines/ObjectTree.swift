package import DBus

/// The objects of bluetoothd: a path, its interfaces, their properties (`org.freedesktop.DBus.ObjectManager`).
package struct ObjectTree: Sendable, Equatable {
    package typealias Properties = [String: DBusValue]
    package typealias Interfaces = [String: Properties]

    package private(set) var objects: [String: Interfaces] = [:]

    package init() {}

    /// The properties of an object's interface; nil when there is no such object, or it has not that interface.
    package subscript(_ path: String, _ interface: String) -> Properties? { objects[path]?[interface] }

    /// The paths of all objects that have an interface, in their order.
    package func paths(with interface: String) -> [String] {
        objects.filter { $0.value[interface] != nil }.keys.sorted()
    }

    /// The paths of the objects below another that have an interface, in their order.
    package func paths(with interface: String, below path: String) -> [String] {
        objects.filter { $0.key.hasPrefix(path + "/") && $0.value[interface] != nil }.keys.sorted()
    }

    package mutating func add(_ path: String, _ interfaces: Interfaces) {
        objects[path, default: [:]].merge(interfaces) { _, new in new }
    }

    /// Returns whether anything was there to be removed.
    package mutating func remove(_ path: String, _ interfaces: [String]) -> Bool {
        guard var left = objects[path] else { return false }
        let before = left.count
        for interface in interfaces { left[interface] = nil }
        objects[path] = left.isEmpty ? nil : left
        return left.count < before
    }

    /// Properties have other values, or have none any more. Those of an object that is not known are of no use.
    ///
    /// - Returns: whether the object is known.
    package mutating func change(
        _ path: String, _ interface: String, _ changed: Properties, invalidated: [String]
    ) -> Bool {
        guard objects[path]?[interface] != nil else { return false }
        objects[path]?[interface]?.merge(changed) { _, new in new }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        return true
    }
}
