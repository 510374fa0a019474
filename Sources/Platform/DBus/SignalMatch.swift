import CGIO

/// A selection of signals (D-Bus Specification, "Match Rules"); `nil` is any.
package struct SignalMatch: Hashable, Sendable {
    /// The sender: a unique name, or a name that may go from one owner to another.
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: String?

    /// The first argument, a string: the rule's `arg0`. It holds no apostrophe, for GDBus quotes none.
    package var argument0: String?

    package init(
        sender: String? = nil, interface: String? = nil, member: String? = nil, path: String? = nil,
        argument0: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.argument0 = argument0
    }

    /// Whether a bus takes it.
    var isValid: Bool {
        sender.map { g_dbus_is_name($0) != 0 } ?? true
            && interface.map { g_dbus_is_interface_name($0) != 0 } ?? true
            && member.map { g_dbus_is_member_name($0) != 0 } ?? true
            && path.map { g_variant_is_object_path($0) != 0 } ?? true
            && argument0.map { !$0.contains("'") } ?? true
    }
}
