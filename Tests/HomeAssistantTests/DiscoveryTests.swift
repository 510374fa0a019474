import Foundation
import OkaeriHouse
import Testing

@Suite struct DiscoveryTests {
    let discovery = Discovery(topics: Topics(), version: "1.0.0")

    private func members(_ announcement: Discovery.Announcement) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(announcement.payload.utf8)) as? [String: Any])
    }

    private func components(_ announcement: Discovery.Announcement) throws -> [String: [String: Any]] {
        try #require(try members(announcement)["cmps"] as? [String: [String: Any]])
    }

    private func device(_ announcement: Discovery.Announcement) throws -> [String: Any] {
        try #require(try members(announcement)["dev"] as? [String: Any])
    }

    /// The first identifiers of the entities.
    private func entities(_ announcement: Discovery.Announcement) throws -> Set<String> {
        Set(try components(announcement).values.compactMap { $0["def_ent_id"] as? String })
    }

    private var all: [Discovery.Announcement] {
        [
            discovery.hub(nodes: ["hall", "attic"], rooms: ["hall", "Küche"], page: "http://hall.local:8080/"),
            discovery.node("hall", room: "Küche", page: "http://hall.local:8080/"),
            discovery.region("keys", nodes: ["hall", "attic"]), discovery.part(region: "keys", node: "hall"),
        ]
    }

    @Test func `each announcement has its topic`() {
        #expect(
            all.map(\.topic) == [
                "homeassistant/device/okaeri_home/hub/config", "homeassistant/device/okaeri_home/node_hall/config",
                "homeassistant/device/okaeri_home/region_keys/config",
                "homeassistant/device/okaeri_home/region_keys_hall/config",
            ])
    }

    /// Home Assistant refuses a whole device for an unknown key, a missing origin, or one component without identifier.
    @Test func `Home Assistant refuses no part of an announcement`() throws {
        let known: Set = ["dev", "o", "qos", "avty", "avty_mode", "cmps"]
        for announcement in all {
            let members = try members(announcement)
            #expect(Set(members.keys).isSubset(of: known))
            #expect((members["o"] as? [String: Any])?["name"] as? String == "okaeri")
            for (key, component) in try components(announcement) {
                for required in ["p", "uniq_id", "def_ent_id"] {
                    #expect(component[required] is String, "\(key) \(required)")
                }
                // Both exclude each other.
                #expect(members["avty"] == nil || component["avty_t"] == nil && component["avty"] == nil)
            }
        }
    }

    @Test func `every entity has an identifier of its own`() throws {
        let houses = ["home", "home_keys"].flatMap { site in
            let discovery = Discovery(topics: Topics(site: site), version: "1")
            let regions = ["keys", "keys_hall", "hall", "node", "nodes", "keys_presence", "お帰り", "nodes_inside", "x"]
            let nodes = ["hall", "node", "keys_hall", "presence"]
            return [discovery.hub(nodes: nodes, rooms: ["hall", "inside", "お帰り"])] + nodes.map { discovery.node($0) }
                + regions.map { discovery.region($0, nodes: nodes) }
                + regions.flatMap { region in nodes.map { discovery.part(region: region, node: $0) } }
        }
        let identifiers = try houses.flatMap { try components($0).values.compactMap { $0["uniq_id"] as? String } }
        #expect(Set(identifiers).count == identifiers.count)
        #expect(Set(houses.map(\.topic)).count == houses.count)
        let devices = try houses.map { announcement in
            try #require((try device(announcement)["ids"] as? [String])?.first)
        }
        // A region's parts belong to its device.
        #expect(Set(devices).count == 2 * (1 + 4 + 9))
    }

    @Test func `the house has its occupancy, and a number for each room`() throws {
        let components = try components(discovery.hub(nodes: ["hall"], rooms: ["hall", "it's {{ evil }}"]))
        #expect(components["presence"]?["dev_cla"] as? String == "presence")
        #expect(
            components["presence"]?["val_tpl"] as? String
                == "{{ {'inside':'ON','outside':'OFF'}.get(value_json.presence,'None') }}")
        #expect(components["inside"]?["val_tpl"] as? String == "{{ value_json.inside }}")
        #expect(components["room_hall"]?["name"] as? String == "Inside: hall")
        #expect(components["room_hall"]?["val_tpl"] as? String == "{{ value_json.rooms.get('hall', 0) }}")
        let templates = components.values.compactMap { $0["val_tpl"] as? String }
        #expect(!templates.contains { $0.contains("evil") }, "a room's name is not a part of a template")
        #expect(components.count == 5)
    }

    @Test func `the sensor of a removed room is removed by its platform alone`() throws {
        let components = try components(
            discovery.hub(nodes: ["hall"], rooms: ["hall"], formerRooms: ["attic", "hall"]))
        #expect(components["room_attic"] as? [String: String] == ["p": "sensor"])
        #expect(components["room_hall"]?["name"] as? String == "Inside: hall" && components.count == 5)
    }

    @Test func `the tracker has three states`() throws {
        let tracker = try #require(try components(discovery.region("keys", nodes: ["hall"]))["tracker"])
        #expect(tracker["name"] is NSNull)
        #expect(tracker["src_type"] as? String == "bluetooth_le")
        #expect(tracker["stat_t"] as? String == "okaeri/home/region/keys")
        #expect(
            tracker["val_tpl"] as? String
                == "{{ {'inside':'home','outside':'not_home'}.get(value_json.state,'None') }}")
        #expect(tracker["def_ent_id"] as? String == "device_tracker.okaeri_keys")
    }

    @Test func `A region with a known battery level has a sensor and a warning for it`() throws {
        let without = try components(discovery.region("keys", nodes: ["hall"]))
        let components = try components(discovery.region("keys", nodes: ["hall"], hasBattery: true))
        #expect(Set(components.keys).subtracting(without.keys) == ["battery", "battery_low"])
        for (key, template) in [
            ("battery", "{{ value_json.percent }}"), ("battery_low", "{{ 'ON' if value_json.low else 'OFF' }}"),
        ] {
            #expect(components[key]?["dev_cla"] as? String == "battery")
            #expect(components[key]?["stat_t"] as? String == "okaeri/home/region/keys/battery")
            #expect(components[key]?["val_tpl"] as? String == template)
        }
        #expect(components["battery"]?["unit_of_meas"] as? String == "%")
        #expect(components["battery"]?["uniq_id"] as? String == "okaeri_home_keys_battery")
    }

    @Test func `names of any script are kept`() throws {
        let announcement = discovery.region("お帰り \"1\"/#", nodes: ["hall"])
        #expect(announcement.topic.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 })
        #expect(announcement.topic.split(separator: "/").count == 5)
        #expect(try device(announcement)["name"] as? String == "お帰り \"1\"/#")
        #expect(TopicName("お帰り").level != TopicName("ただいま").level)
        #expect(TopicName("").level.count == 13)
        #expect(TopicName("Front-Door_1").level == "Front-Door_1")
        #expect(TopicName("Front-Door_1").part == "Front-Door-1-c6c613")
        #expect(TopicName(String(repeating: "a", count: 65)).level.count == 13)
    }

    @Test func `the same house is announced with the same payload`() {
        #expect(discovery.hub(nodes: ["a", "b"]) == discovery.hub(nodes: ["b", "a"]))
        #expect(discovery.region("keys", nodes: ["a", "b"]) == discovery.region("keys", nodes: ["b", "a"]))
    }

    @Test func `the entity of a connection is available while the node is off`() throws {
        let components = try components(discovery.node("hall"))
        #expect(components["connected"]?["avty_t"] == nil)
        #expect(components["scanner"]?["avty_t"] as? String == "okaeri/home/node/hall/status")
        #expect(components["join"]?["pl_prs"] as? String == "{\"answer\":\"join\"}")
        #expect((components["join"]?["avty"] as? [[String: String]])?.count == 2)
        #expect(
            Set(components.keys) == [
                "connected", "scanner", "uptime", "restart", "question", "ssid", "join", "later", "never",
            ])
    }

    @Test func `A node that is not started again has no button for a restart`() throws {
        let restart = try #require(try components(discovery.node("hall", restarts: false))["restart"])
        #expect(restart.count == 1 && restart["p"] as? String == "button")
    }

    @Test func `The button restarts the daemon while the node is online`() throws {
        let restart = try #require(try components(discovery.node("hall"))["restart"])
        #expect(restart["p"] as? String == "button" && restart["dev_cla"] as? String == "restart")
        #expect(restart["name"] as? String == "Restart" && restart["ent_cat"] as? String == "diagnostic")
        #expect(restart["uniq_id"] as? String == "okaeri_home_node_hall_restart")
        #expect(restart["def_ent_id"] as? String == "button.okaeri_hall_restart")
        #expect(restart["cmd_t"] as? String == "okaeri/home/node/hall/restart")
        #expect(restart["pl_prs"] as? String == "restart" && restart["msg_exp_int"] as? Int == 30)
        #expect(restart["avty_t"] as? String == "okaeri/home/node/hall/status")
    }

    @Test func `The uptime is the start of the daemon as the node describes itself`() throws {
        let uptime = try #require(try components(discovery.node("hall"))["uptime"])
        #expect(uptime["p"] as? String == "sensor" && uptime["dev_cla"] as? String == "timestamp")
        #expect(uptime["name"] as? String == "Uptime" && uptime["ent_cat"] as? String == "diagnostic")
        #expect(uptime["stat_t"] as? String == "okaeri/home/node/hall/about")
        #expect(uptime["val_tpl"] as? String == "{{ value_json.since | default('None', true) }}")
        #expect(uptime["avty_t"] as? String == "okaeri/home/node/hall/status")
    }

    @Test func `A node is below the house, in the area of its room`() throws {
        let node = try device(discovery.node("hall", room: "Küche"))
        let house = try device(discovery.hub(nodes: ["hall"]))
        #expect(node["sa"] as? String == "Küche")
        #expect(node["via_device"] as? String == (house["ids"] as? [String])?.first)
        #expect(node["via_device"] as? String == "okaeri_home")
        for room in [nil, "", " "] {
            let node = try device(discovery.node("hall", room: room))
            #expect(node["sa"] == nil && node["via_device"] as? String == "okaeri_home")
        }
        let region = try device(discovery.region("keys", nodes: ["hall"]))
        #expect(region["sa"] == nil && region["via_device"] as? String == "okaeri_home")
        #expect(house["sa"] == nil && house["via_device"] == nil)
    }

    @Test func `The devices of the house and of a node link to their page`() throws {
        for page in ["http://hall.local:8080/", "https://192.168.1.2", "http://[fd00::2]:8080/"] {
            #expect(try device(discovery.node("hall", page: page))["cu"] as? String == page)
            #expect(try device(discovery.hub(nodes: ["hall"], page: page))["cu"] as? String == page)
        }
    }

    /// Home Assistant refuses a whole device for such a link.
    @Test(arguments: [
        nil, "", "hall.local:8080", "/page", "http://", "http:///page", "ftp://hall.local", "http://hall local/",
        "javascript:alert(1)", "http://お帰り/",
    ])
    func `A device has no link to anything but a web page`(page: String?) throws {
        #expect(try device(discovery.node("hall", page: page))["cu"] == nil)
        #expect(try device(discovery.hub(nodes: ["hall"], page: page))["cu"] == nil)
    }

    @Test func `The room is not_home while the region is outside`() throws {
        let components = try components(discovery.region("keys", nodes: ["hall"]))
        #expect(
            components["room"]?["val_tpl"] as? String
                == "{{ 'not_home' if value_json.state == 'outside' else value_json.room | default('None', true) "
                + "if value_json.state == 'inside' else 'None' }}")
        #expect(components["event"]?["name"] as? String == "Event")
        #expect(components["event"]?["evt_typ"] as? [String] == ["enter", "exit"])
    }

    @Test func `The first identifiers of entities have the names of region, node and room`() throws {
        var discovery = discovery
        #expect(
            try entities(discovery.region("Annas Rucksack", nodes: ["hall"])) == [
                "device_tracker.okaeri_annas_rucksack", "binary_sensor.okaeri_annas_rucksack_presence",
                "sensor.okaeri_annas_rucksack_room", "sensor.okaeri_annas_rucksack_changed",
                "event.okaeri_annas_rucksack",
            ])
        #expect(
            try entities(discovery.part(region: "Schlüssel", node: "pi-2")) == [
                "sensor.okaeri_schluessel_pi_2_distance", "sensor.okaeri_schluessel_pi_2_signal",
            ])
        discovery.names = EntityNames(regions: ["keys-1", "keys_1"], rooms: ["Bad", "bad"])
        let regions = try ["keys-1", "keys_1"].map { try entities(discovery.region($0, nodes: ["hall"])) }
        #expect(regions[0].isDisjoint(with: regions[1]))
        let rooms = try components(discovery.hub(nodes: ["hall"], rooms: ["Bad", "bad"]))
        #expect(rooms["room_Bad"]?["def_ent_id"] as? String != rooms["room_bad"]?["def_ent_id"] as? String)
    }

    @Test func `The identifiers of another house contain its name`() throws {
        func entities(_ site: String) throws -> Set<String> {
            let discovery = Discovery(topics: Topics(site: site), version: "1")
            return try [
                discovery.hub(nodes: ["hall"], rooms: ["hall"]), discovery.node("hall"),
                discovery.region("keys", nodes: ["hall"]), discovery.part(region: "keys", node: "hall"),
            ].reduce(into: []) { $0.formUnion(try self.entities($1)) }
        }
        let home = try entities("home"), cabin = try entities("cabin")
        #expect(home.isSuperset(of: ["device_tracker.okaeri_keys", "sensor.okaeri_nodes", "sensor.okaeri_room_hall"]))
        #expect(cabin == Set(home.map { $0.replacing(".okaeri_", with: ".okaeri_cabin_") }))
        #expect(try entities("Lake-House").contains("device_tracker.okaeri_lake_house_keys"))
        #expect(try entities("room").isDisjoint(with: home))
    }

    /// Its pattern for an entity's identifier has no two underscores behind each other, and its limit is 255 letters.
    @Test func `Home Assistant accepts the first identifier of each entity`() throws {
        let names = [
            "", "_", "--", "a--b", "-a-", "お帰り", "🎒", "A\u{301}", String(repeating: "a_", count: 80), "room",
            "Über/uns \0",
            "\u{1B}[2J", "{{ evil }}",
        ]
        let entity = /[a-z]+(_[a-z]+)*\.okaeri(_[a-z0-9]+)+/
        let longest = String(repeating: "n", count: 64)
        for site in ["home", "-", longest] {
            let discovery = Discovery(topics: Topics(site: site), version: "1", names: EntityNames(regions: names))
            for name in names {
                let announcements = [
                    discovery.region(name, nodes: [longest], hasBattery: true),
                    discovery.part(region: name, node: longest), discovery.hub(nodes: [longest], rooms: [name]),
                    discovery.node("-_"),
                ]
                for identifier in try announcements.flatMap({ try entities($0) }) {
                    #expect(identifier.wholeMatch(of: entity) != nil && identifier.utf8.count <= 255, "\(identifier)")
                }
            }
        }
    }

    @Test func `The identifiers of an existing installation stay the same`() throws {
        var named = discovery
        named.names = EntityNames(regions: ["Annas Rucksack", "annas-rucksack", "keys_1"], nodes: ["my_pi", "my-pi"])
        for discovery in [discovery, named] {
            let region = discovery.region("Annas Rucksack", nodes: ["my_pi"])
            #expect(region.topic == "homeassistant/device/okaeri_home/region_x6daf93e8711b/config")
            #expect(try components(region)["tracker"]?["uniq_id"] as? String == "okaeri_home_x6daf93e8711b")
            #expect(try components(region)["room"]?["stat_t"] as? String == "okaeri/home/region/x6daf93e8711b")
            let part = discovery.part(region: "keys_1", node: "my_pi")
            #expect(part.topic == "homeassistant/device/okaeri_home/region_keys-1-f170af_my-pi-302a04/config")
        }
    }

    @Test func `an announcement is identified by its topic`() {
        #expect(
            all.map { discovery.subject(of: $0.topic) } == [
                .hub, .node("hall"), .region("keys"), .part(region: "keys", node: "hall"),
            ])
        let part = discovery.part(region: "front_door", node: "my_pi")
        #expect(
            discovery.subject(of: part.topic)
                == .part(region: TopicName("front_door").part, node: TopicName("my_pi").part))
        for topic in [
            "", "homeassistant/device/okaeri_home/region_/config", "homeassistant/device/okaeri_home//config",
            "homeassistant/device/okaeri_home_x/hub/config", "homeassistant/device/okaeri_home/region_a_b_c/config",
        ] {
            #expect(discovery.subject(of: topic) == nil)
        }
    }
}
