// The state of an adapter is a value in `HCI`, so that events can contain it without the C headers of this target.
@_exported public import struct HCI.AdapterUpdate
@_exported public import enum HCI.BluetoothState
