import OkaeriFuzzSupport
import IBeacon

/// The input is advertising data, and what people write: a UUID or a constraint.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIBeacon(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    checkFrames(bytes)
    // No text of these is longer.
    if count <= 64 { checkTexts(String(decoding: bytes, as: UTF8.self)) }
    return 0
}

/// The walk is that of the specification, read slowly; a beacon is found where it stands.
private func checkFrames(_ bytes: UnsafeRawBufferPointer) {
    var structures = ADStructures(bytes.bytes)
    var offset = 0
    var found: [IBeaconFrame] = []
    while let structure = structures.next() {
        let end = offset + 1 + Int(bytes[offset])
        require(structure.offset == offset && end <= bytes.count, "a structure stands elsewhere")
        require(structure.type == bytes[offset + 1], "a structure has another type")
        structure.data.withUnsafeBytes {
            require($0.elementsEqual(bytes[offset + 2..<end]), "a structure has other data")
        }
        if structure.type == ADType.manufacturerSpecificData,
            let frame = IBeaconFrame(manufacturerSpecificData: structure.data)
        {
            let data = bytes[offset + 2..<end]
            require(data.starts(with: frame.manufacturerSpecificData), "a beacon is not made of these bytes")
            found.append(frame)
        }
        offset = end
    }
    require(structures.overran || offset == bytes.count || bytes[offset] == 0, "the walk ended too early")
    require(IBeaconFrame(advertisingData: bytes.bytes) == found.first, "not the first beacon was found")
    var frames = IBeaconFrames(bytes.bytes)
    for frame in found {
        require(frames.next() == frame, "the beacons of an advertisement are others")
        require(IBeaconFrame(advertisingData: frame.advertisingData.span.bytes) == frame, "a beacon is sent as another")
        checkMatching(frame.identity)
    }
    require(frames.next() == nil, "an advertisement has more beacons than it holds")
}

private func checkMatching(_ beacon: BeaconIdentity) {
    let (uuid, major, minor) = (beacon.uuid, beacon.major, beacon.minor)
    let other = BeaconConstraint.minor(uuid, major, minor ^ 1)
    let constraints = [.uuid(uuid), other, .major(uuid, major), .minor(uuid, major, minor), .major(uuid, major ^ 1)]
    require(RegionMatcher(constraints).matches(beacon) == [3, 2, 0], "a beacon is in other regions")
    for constraint in constraints {
        require(BeaconConstraint(constraint.description) == constraint, "a constraint is written as another")
    }
    require(!other.matches(beacon), "a beacon is meant by another's constraint")
}

private func checkTexts(_ text: String) {
    if let uuid = BeaconUUID(text) {
        require(BeaconUUID(uuid.description) == uuid, "a UUID is written as another")
        require(
            uuid.description.filter { $0 != "-" } == text.uppercased().filter { $0 != "-" },
            "a UUID is read as another")
    }
    if let constraint = BeaconConstraint(text) {
        require(BeaconConstraint(constraint.description) == constraint, "a constraint is written as another")
        let beacon = BeaconIdentity(
            uuid: constraint.uuid, major: constraint.major ?? 0, minor: constraint.minor ?? .max)
        require(constraint.matches(beacon), "a constraint does not mean its own beacon")
    }
}
