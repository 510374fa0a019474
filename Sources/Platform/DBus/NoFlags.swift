package import CGIO

// GLib 2.90 declares both as sets of flags, of which Swift imports no name for the empty one.

extension GDBusCallFlags {
    package static var noFlags: Self { Self(rawValue: 0) }
}

extension GDBusSignalFlags {
    package static var noFlags: Self { Self(rawValue: 0) }
}
