import Testing

@testable import OkaeriHouse

/// The list of the radios that count, of `mqtt` in the configuration.
@Suite struct RadioListTests {
    private var house = HouseBench()

    private static let heard = #"{"n":100,"d":1,"o":3,"r":[["\#(HouseBench.uuid):1:1",[[-61,0.01]]]]}"#

    @Test(arguments: [nil, ["attic"], []] as [Set<String>?])
    mutating func `Only the radios of a list are used, and only they are standbys`(radios: Set<String>?) {
        house.start(
            .init(node: "hall", room: nil, site: "home", discovery: nil, version: "1", radios: radios),
            [HouseBench.region("keys")], incarnation: "a", connects: true)
        let card = #"{"kind":"standby","room":null,"offset":0,"version":"1","since":"2026-11-21T07:31:09.412Z"}"#
        for name in ["attic", "loft"] { house.send("okaeri/home/node/\(name)/about", card) }
        #expect(house.nodes["hall"]?.core.announcements.memory.standbys == (radios ?? ["attic", "loft"]).sorted())
        for name in ["attic", "loft"] {
            house.startReceiver(name)
            house.send("okaeri/home/node/\(name)/heard", Self.heard)
        }
        let used = Set(house.nodes["hall"]?.reports.map(\.radio) ?? [])
        #expect(used == (radios ?? ["attic", "loft"]))
        // A list that is shorter than that of an earlier run.
        let memory = HouseMemory(announced: [:], standbys: ["attic", "loft"])
        house.start(
            .init(node: "shed", room: nil, site: "other", discovery: nil, version: "1", radios: radios), [],
            incarnation: "b", memory: memory, connects: true)
        #expect(house.nodes["shed"]?.core.announcements.memory.standbys == (radios ?? ["attic", "loft"]).sorted())
    }

    /// A radio that reports shows the devices around it, and phones.
    @Test(arguments: [nil, ["attic"], []] as [Set<String>?])
    mutating func `The radio of a hub reports only for a standby of the list`(radios: Set<String>?) {
        house.start(
            .init(node: "hall", room: nil, site: "home", discovery: nil, version: "1", radios: radios),
            [HouseBench.region("keys")], incarnation: "a", connects: true)
        house.pass(10)
        #expect(house.nodes["hall"]?.core.ownReports.isWanted == false)
        let card = #"{"kind":"standby","room":null,"offset":0,"version":"1","since":"2026-11-21T07:31:09.412Z"}"#
        house.send("okaeri/home/node/attic/about", card)
        house.send("okaeri/home/node/attic/status", "online")
        house.pass(1)
        #expect(house.nodes["hall"]?.core.ownReports.isWanted == (radios != []))
    }
}
