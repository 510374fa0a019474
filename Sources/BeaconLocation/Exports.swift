// Who writes `import BeaconLocation` has the words it speaks in: regions and beacons, their states, Bluetooth's state.
@_exported public import Bluetooth
@_exported public import IBeacon
@_exported public import RegionMonitoring
