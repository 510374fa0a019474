import CGIO

/// One reference to a GObject, given back with it.
///
/// Sendable: counting references is atomic in GObject. What the pointer leads to is only touched by the one ``GLibActor``
/// that made it, on the thread of its context.
package final class GObjectReference: @unchecked Sendable {
    package let pointer: OpaquePointer

    /// Takes over a reference that a function has given ("transfer full").
    package init?(taking pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    /// Adds a reference to an object of another owner ("transfer none").
    package init(sharing pointer: OpaquePointer) {
        g_object_ref(gpointer(pointer))
        self.pointer = pointer
    }

    deinit {
        g_object_unref(gpointer(pointer))
    }
}
