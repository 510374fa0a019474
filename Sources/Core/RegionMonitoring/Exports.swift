// The API of this library consists of regions and identities of beacons.
@_exported public import IBeacon
