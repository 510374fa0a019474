// `import BeaconLocation` gives a program the types of its API, and no others.
@_exported public import struct Bluetooth.HeldStream
@_exported public import struct HCI.AdapterUpdate
@_exported public import enum HCI.BluetoothState
@_exported public import enum HCI.HCIDecodingError
@_exported public import struct HCI.ScanTime
@_exported public import struct HCI.ScanTiming
@_exported public import enum IBeacon.BeaconConstraint
@_exported public import struct IBeacon.BeaconIdentity
@_exported public import struct IBeacon.BeaconRegion
@_exported public import struct IBeacon.BeaconUUID
@_exported public import struct RegionMonitoring.Instant
@_exported public import struct RegionMonitoring.MonitoredRegion
@_exported public import enum RegionMonitoring.Proximity
@_exported public import struct RegionMonitoring.RangedBeacon
@_exported public import enum RegionMonitoring.RegionState
@_exported public import enum RegionMonitoring.Sensitivity
