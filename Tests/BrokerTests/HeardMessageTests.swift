import HCI
import IBeacon
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriHouse

/// The messages of receivers and the hub's request, as they are written and read.
@Suite struct HeardMessageTests {
    private static let uuid = HouseBench.uuid

    private static func beacon(_ minor: UInt16, power: Int8? = -59) throws -> Reception.Sender {
        .beacon(
            BeaconIdentity(uuid: try #require(BeaconUUID(uuid)), major: 100, minor: minor), measuredPower: power)
    }

    private static func phone() throws -> Reception.Sender {
        .device(try #require(BluetoothAddress("5A:01:02:03:04:05")), .random)
    }

    @Test func `A message is read as it was written`() throws {
        let message = HeardMessage(
            number: 1234, span: 86_400.25...86_401.375, share: 0.525, others: 17,
            entries: [
                .init(
                    sender: try Self.beacon(7, power: -70),
                    samples: [.init(rssi: -61, age: 0.02), .init(rssi: nil, age: 0.98)]),
                .init(sender: try Self.beacon(8, power: nil), samples: [.init(rssi: -62, age: 0.5)]),
                .init(sender: try Self.phone(), samples: [.init(rssi: -80, age: 0.4)]),
            ],
            levels: [
                .init(
                    beacon: BeaconIdentity(uuid: try #require(BeaconUUID(Self.uuid)), major: 100, minor: 7),
                    percent: 80,
                    age: 12.5)
            ])
        #expect(HeardMessage(Array(message.payload.utf8)) == message)
        let empty = HeardMessage(number: 1, span: 0...0, share: 0, others: 0, entries: [])
        #expect(HeardMessage(Array(empty.payload.utf8)) == empty)
    }

    @Test func `The largest message fits in a payload, and is read completely`() throws {
        let entries = try (0..<256).map { number in
            HeardMessage.Entry(
                sender: try Self.beacon(UInt16(number) + 65_000, power: -128), samples: [.init(rssi: -127, age: 59.99)])
        }
        let message = HeardMessage(
            number: .max >> 1, span: 3.1e9...3.1e9, share: 0.999, others: 64, entries: entries)
        let payload = Array(message.payload.utf8)
        #expect(payload.count <= Wire.largestPayload / 4)
        #expect(HeardMessage(payload) == message)
    }

    @Test func `Levels out of range, and more than 64, are not read`() throws {
        let wrong = [
            "[\"x\",80,1]", "[\"\(Self.uuid):1:1\",101,1]", "[\"\(Self.uuid):1:1\",-1,1]",
            "[\"\(Self.uuid):1:1\",1,-5]",
        ]
        let right = (0..<70).map { "[\"\(Self.uuid):1:\($0)\",\($0),1e3]" }
        for (levels, count) in [(wrong, 0), (right, 64)] {
            let payload = "{\"n\":1,\"d\":1,\"o\":0,\"r\":[],\"b\":[\(levels.joined(separator: ","))]}"
            #expect(try #require(HeardMessage(Array(payload.utf8))).levels.count == count)
        }
    }

    @Test func `A message without a time and without measured powers is read`() throws {
        let payload = """
            {"n":1234,"d":0.52,"o":17,"r":[["\(Self.uuid):100:7",[[-61,0.02],[-63,0.98]]],["p:5A:01:02:03:04:05",[[-80,0.4]]]]}
            """
        let message = try #require(HeardMessage(Array(payload.utf8)))
        #expect(message.number == 1234 && message.span == nil && message.share == 0.52 && message.others == 17)
        #expect(
            message.entries == [
                .init(sender: try Self.beacon(7), samples: [.init(rssi: -61, age: 0.02), .init(rssi: -63, age: 0.98)]),
                .init(sender: try Self.phone(), samples: [.init(rssi: -80, age: 0.4)]),
            ])
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"n":1}"#, #"{"n":-1,"d":0,"o":0,"r":[]}"#, #"{"n":1.5,"d":0,"o":0,"r":[]}"#,
        #"{"n":1,"d":"x","o":0,"r":[]}"#, #"{"n":1,"d":1e400,"o":0,"r":[]}"#, #"{"n":1,"d":NaN,"o":0,"r":[]}"#,
        #"{"n":1,"t":[1],"d":0,"o":0,"r":[]}"#, #"{"n":1,"t":[2,1],"d":0,"o":0,"r":[]}"#,
        #"{"n":1,"t":[-1,1],"d":0,"o":0,"r":[]}"#, #"{"n":1,"t":[0,1e18],"d":0,"o":0,"r":[]}"#,
        #"{"n":1,"t":[1,2,3],"d":0,"o":0,"r":[]}"#, #"{"n":1,"d":0,"o":0,"r":{}}"#, #"{"n":1,"d":0,"o":0,"r":[[]]}"#,
        #"{"n":1,"d":0,"o":0,"r":[["x"]]}"#, #"{"n":1,"d":0,"o":0,"r":[["x",[[-61]]]]}"#,
        #"{"n":1,"d":0,"o":0,"r":[["x",[["a",1]]]]}"#, #"{"n":18446744073709551616,"d":0,"o":0,"r":[]}"#,
        #"{"n":1,"t":[0,1],"d":0,"o":0,"r":[]} x"#, String(repeating: "[", count: 100_000),
    ])
    func `A payload that no receiver publishes is rejected`(payload: String) {
        #expect(HeardMessage(Array(payload.utf8)) == nil)
    }

    @Test func `Entries and samples with impossible values are left out`() throws {
        let payload = """
            {"n":1,"d":7,"o":-5,"r":[["x",[[-61,0]]],["\(Self.uuid):70000:1",[[-61,0]]],["\(Self.uuid):1",[[-61,0]]],
            ["p:5A:01",[[-61,0]]],["p:",[[-61,0]]],
            ["\(Self.uuid):100:7",[[128,0],[-129,0],[-9999999,0],[-61,-1],[null,2],[-62,3]],900]]}
            """
        let message = try #require(HeardMessage(Array(payload.utf8)))
        #expect(message.share == 1 && message.others == 0)
        #expect(
            message.entries == [
                .init(sender: try Self.beacon(7), samples: [.init(rssi: nil, age: 2), .init(rssi: -62, age: 3)])
            ])
    }

    @Test func `A signal that no receiver measures is unknown`() throws {
        let samples = [-128, 0, 21, 127].map { "[\($0),1]" }.joined(separator: ",")
        let payload = "{\"n\":1,\"d\":1,\"o\":0,\"r\":[[\"\(Self.uuid):100:7\",[\(samples)]]]}"
        let message = try #require(HeardMessage(Array(payload.utf8)))
        let unknown = HeardMessage.Sample(rssi: nil, age: 1)
        #expect(message.entries.map(\.samples) == [[unknown, unknown, unknown, unknown]])
    }

    @Test func `No more than 256 receptions of a message are read`() throws {
        let samples = String(repeating: "[-61,0],", count: 200).dropLast()
        let entries = (1...3).map { "[\"\(Self.uuid):100:\($0)\",[\(samples)]]" }.joined(separator: ",")
        let message = try #require(HeardMessage(Array("{\"n\":1,\"d\":1,\"o\":0,\"r\":[\(entries)]}".utf8)))
        #expect(message.entries.map(\.samples.count) == [200, 56])
        let long = String(repeating: "[-61,0],", count: 2000).dropLast()
        let one = try #require(
            HeardMessage(Array("{\"n\":1,\"d\":1,\"o\":0,\"r\":[[\"\(Self.uuid):100:1\",[\(long)]]]}".utf8)))
        #expect(one.entries.map(\.samples.count) == [256])
    }

    @Test(arguments: 0..<10) func `No bytes trap`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let valid = Array(
            #"{"n":1,"t":[1.5,2.5],"d":0.5,"o":3,"r":[["\#(Self.uuid):100:7",[[-61,0.02]],-59]]}"#.utf8)
        for _ in 0..<200 {
            var payload = valid
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                payload[Int.random(in: payload.indices, using: &generator)] = .random(in: 32...126, using: &generator)
            }
            if let message = HeardMessage(payload) {
                var stream = HeardStream(at: 0)
                _ = stream.received(message, at: .random(in: 0 ... .max, using: &generator))
                _ = message.payload
            }
        }
    }

    // MARK: The hub's request

    @Test func `The request has each beacon of the regions once, and no names and no keys`() throws {
        let beacon = try #require(BeaconConstraint("\(Self.uuid)/1/2"))
        let regions = [
            MonitoredRegion(BeaconRegion(identifier: "keys", constraint: beacon)),
            MonitoredRegion(BeaconRegion(identifier: "bag", constraint: beacon)),
            MonitoredRegion(
                identifier: "anna", RegionSign(.phone(file: "/etc/okaeri/anna.irk")),
                or: [RegionSign(.beacon(.uuid(beacon.uuid))), RegionSign(.beacon(.major(beacon.uuid, 3)))]),
        ]
        let wanted = WantedBeacons(regions)
        #expect(Set(wanted.beacons) == [beacon, .uuid(beacon.uuid), .major(beacon.uuid, 3)])
        #expect(wanted.beacons.count == 3 && wanted.phones)
        #expect(WantedBeacons(Array(wanted.payload.utf8)) == wanted)
        for text in ["keys", "bag", "anna", "irk"] { #expect(!wanted.payload.contains(text)) }
        #expect(!WantedBeacons(Array(regions.prefix(2))).phones)
    }

    @Test func `A mask is a part of the request, and a receiver without masks reports more than is wanted`() throws {
        let masked = try ["1/512:FF00", "5:FF0F/7"].map { try #require(BeaconConstraint("\(Self.uuid)/\($0)")) }
        let wanted = WantedBeacons(
            masked.map { MonitoredRegion(BeaconRegion(identifier: "\($0)", constraint: $0)) })
        #expect(Set(try #require(WantedBeacons(Array(wanted.payload.utf8))).beacons) == Set(masked))
        #expect(wanted.payload.contains(#"{"uuid":"\#(Self.uuid)","major":1,"minor":null,"masked":"#))
        #expect(wanted.payload.contains(#"{"uuid":"\#(Self.uuid)","major":null,"minor":null,"masked":"#))
        let invalid = #"{"beacons":[{"uuid":"\#(Self.uuid)","masked":"\#(Self.uuid)/1/2:F"}]}"#
        #expect(WantedBeacons(Array(invalid.utf8))?.beacons == [])
    }

    @Test func `A request with invalid beacons is read without them, and any other text is not one`() throws {
        let uuid = try #require(BeaconUUID(Self.uuid))
        let payload = """
            {"beacons":[{"uuid":"\(uuid)","major":1,"minor":null},{"uuid":"x"},{"uuid":"\(uuid)","minor":1}]}
            """
        let wanted = try #require(WantedBeacons(Array(payload.utf8)))
        #expect(wanted.beacons == [.major(uuid, 1)] && !wanted.phones)
        for text in ["", "x", "{}", "[]", #"{"beacons":[{"uuid":"\#(uuid)","major":65536}]}"#] {
            #expect(WantedBeacons(Array(text.utf8)) == nil)
        }
        let many = (0..<5000).map { "{\"uuid\":\"\(uuid)\",\"major\":\($0)}" }.joined(separator: ",")
        let payloadOfMany = Array("{\"beacons\":[\(many)],\"phones\":true}".utf8)
        #expect(WantedBeacons(payloadOfMany)?.beacons.count ?? 0 <= 4000)
    }
}
