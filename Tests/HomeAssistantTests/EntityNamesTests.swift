import OkaeriHouse
import Testing

@Suite struct EntityNamesTests {
    private func slug(_ identifier: String) -> String { EntityNames().region(identifier) }

    private func slugs(_ identifiers: [String]) -> [String] {
        let names = EntityNames(regions: identifiers)
        return identifiers.map { names.region($0) }
    }

    @Test(arguments: [
        ("keys", "keys"), ("Annas Rucksack", "annas_rucksack"), ("Front-Door_1", "front_door_1"),
        ("  Anna's  keys! ", "anna_s_keys"), ("__a--b__", "a_b"), ("Küche", "kueche"), ("ÄÖÜ ẞß", "aeoeue_ssss"),
        ("Ku\u{308}che", "kueche"), ("Café", "cafe"), ("Cafe\u{301}", "cafe"), ("Škoda Żółw", "skoda_zolw"),
        ("İstanbul ışık", "istanbul_isik"), ("Smørrebrød", "smorrebrod"), ("Œuvre Æther", "oeuvre_aether"),
        ("Việt Nam", "viet_nam"), ("x\u{302}y", "xy"), ("鍵 1", "1"), ("🎒 Rucksack", "rucksack"), ("a\0b\n", "a_b"),
    ])
    func `A name becomes a slug that resembles it`(name: String, slug: String) {
        #expect(self.slug(name) == slug)
        #expect(EntityNames().node(name) == slug && EntityNames().room(name) == slug)
    }

    @Test func `A name without a Latin letter becomes a hash`() {
        let names = ["お帰り", "ただいま", "", "_", "🎒"]
        #expect(slug("お帰り") == TopicName("お帰り").level)
        #expect(Set(slugs(names)).count == names.count)
        for name in slugs(names) { #expect(name.wholeMatch(of: /x[0-9a-f]{12}/) != nil) }
    }

    @Test func `Only names with the same slug get a hash`() {
        let names = EntityNames(regions: ["keys-1", "wallet", "keys_1", "Keys 1"])
        let shared = ["keys-1", "keys_1", "Keys 1"].map { names.region($0) }
        #expect(Set(shared).count == 3)
        for name in shared { #expect(name.wholeMatch(of: /keys_1_[0-9a-f]{6}/) != nil) }
        #expect(names.region("wallet") == "wallet")
        // A name that is not among those of the house.
        #expect(names.region("Keys-1") == "keys_1")
    }

    @Test func `The order and repetitions of the identifiers do not matter`() {
        let identifiers = ["keys-1", "keys_1", "Keys 1", "é", "e\u{301}", "お帰り", "nodes", "region-nodes"]
        let names = EntityNames(regions: identifiers)
        #expect(names == EntityNames(regions: identifiers.reversed()))
        #expect(names == EntityNames(regions: identifiers + identifiers.shuffled()))
        #expect(Set(identifiers.map { names.region($0) }).count == identifiers.count)
    }

    @Test func `Another region with the same slug does not take the name that the first one had`() {
        let before = slug("keys-1")
        let after = EntityNames(regions: ["keys-1", "keys_1"])
        #expect(before == "keys_1")
        #expect(after.region("keys_1") != before)
        #expect(TopicName("keys-1").part == "keys-1", "the identifier for ever is the same")
        #expect(EntityNames(regions: ["keys-1", "keys_1", "Keys 1"]).region("keys_1") == after.region("keys_1"))
    }

    @Test func `A region that is named like another one with its hash has another name`() {
        let taken = EntityNames(regions: ["keys-1", "keys_1"]).region("keys-1")
        let identifiers = ["keys-1", "keys_1", taken]
        #expect(Set(slugs(identifiers)).count == 3)
        #expect(EntityNames(regions: identifiers).region(taken) == taken)
        let longer = EntityNames(regions: identifiers).region("keys-1")
        #expect(longer.wholeMatch(of: /keys_1_[0-9a-f]{12}/) != nil)
        let all = identifiers + [longer]
        #expect(Set(slugs(all)).count == 4)
        #expect(EntityNames(regions: all).region("keys-1") == longer + "_2")
    }

    @Test func `A level stands for its identifier`() {
        let names = EntityNames(regions: ["keys 1", "keys-1", TopicName("keys 1").level])
        #expect(names == EntityNames(regions: ["keys 1", "keys-1"]))
        #expect(names.region(TopicName("keys 1").level) == names.region("keys 1"))
    }

    @Test(arguments: ["nodes", "Home occupied", "regions-inside", "room", "Room: kitchen", "room_", "hall question"])
    func `No region has the name of another entity of the house`(name: String) {
        let slug = slug(name)
        #expect(slug.hasPrefix("region_"))
        #expect(Set(slugs([name, slug])).count == 2)
    }

    @Test func `Only the names of rooms begin with room`() {
        let names = EntityNames()
        #expect(names.node("room-1") == "node_room_1" && names.node("roomba") == "roomba")
        #expect(names.room("room 1") == "room_1" && names.region("roomba") == "roomba")
        #expect(names.node("nodes") == "nodes")
    }

    @Test func `Regions, nodes and rooms have names of their own`() {
        let names = EntityNames(regions: ["hall"], nodes: ["hall", "Hall"], rooms: ["hall"])
        #expect(names.region("hall") == "hall" && names.room("hall") == "hall")
        #expect(names.node("hall") != names.node("Hall"))
    }

    @Test func `A name has at most 64 letters`() {
        let long = String(repeating: "Schlüssel ", count: 1000)
        let identifiers = [
            long, long + "2", long + "3", String(repeating: "-", count: 100_000), String(repeating: "ß", count: 100),
            "a" + String(repeating: "\u{301}", count: 100_000), "room" + String(repeating: "-x", count: 100),
        ]
        let names = slugs(identifiers)
        #expect(Set(names).count == identifiers.count)
        for name in names {
            #expect(1...64 ~= name.utf8.count && name.wholeMatch(of: /[a-z0-9]+(_[a-z0-9]+)*/) != nil, "\(name)")
        }
    }

    @Test func `Thousands of regions with the same slug have names of their own`() {
        let identifiers = (0..<4096).map { number in
            "k" + String((0..<12).map { number >> $0 & 1 == 1 ? "-" : "_" }) + "y"
        }
        #expect(Set(identifiers.map(slug)) == ["k_y"])
        #expect(Set(slugs(identifiers)).count == identifiers.count)
    }
}
