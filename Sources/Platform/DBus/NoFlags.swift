import CGIO

// GLib 2.90 declares both as sets of flags, of which Swift imports no name for the empty one.

extension GDBusCallFlags {
    static var noFlags: Self { Self(rawValue: 0) }
}

extension GDBusSignalFlags {
    static var noFlags: Self { Self(rawValue: 0) }
}
