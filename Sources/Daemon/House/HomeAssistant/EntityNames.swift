/// The names of a house's regions, nodes and rooms in the identifiers of entities, such as `annas_rucksack` in
/// `device_tracker.okaeri_annas_rucksack`.
///
/// Home Assistant takes an entity's identifier when it adds the entity, and keeps it. So another name of the house may change a name
/// here, and no entity changes. The identifiers that distinguish entities for ever are those of ``TopicName/part``.
package struct EntityNames: Hashable, Sendable {
    /// The names that differ from the slug of the identifier alone, by the identifier's ``TopicName/level``.
    private let regions: [String: String]
    private let nodes: [String: String]
    private let rooms: [String: String]

    /// A pure function of the identifiers, whose order does not matter. The time is linear in their number, but for those that have
    /// the same slug, which are sorted.
    ///
    /// - Parameters:
    ///   - regions: the identifiers of all regions of the house, or their ``TopicName/level``.
    ///   - nodes: the names of all nodes.
    ///   - rooms: the names of all rooms.
    package init(regions: [String] = [], nodes: [String] = [], rooms: [String] = []) {
        self.regions = Self.exceptions(regions, .region)
        self.nodes = Self.exceptions(nodes, .node)
        self.rooms = Self.exceptions(rooms, .room)
    }

    /// Returns the name of a region: a slug of 1 to 64 letters, which no other region of the house has.
    package func region(_ identifier: String) -> String {
        regions[TopicName(identifier).level] ?? Self.slug(of: identifier, .region)
    }

    /// Returns the name of a node: a slug of 1 to 64 letters, which no other node of the house has.
    package func node(_ name: String) -> String { nodes[TopicName(name).level] ?? Self.slug(of: name, .node) }

    /// Returns the name of a room: a slug of 1 to 64 letters, which no other room of the house has.
    package func room(_ name: String) -> String { rooms[TopicName(name).level] ?? Self.slug(of: name, .room) }

    /// Returns the name of a house: a slug of 1 to 64 letters.
    static func site(_ name: String) -> String { slug(of: name, .site) }

    private enum Kind: String {
        case region, node, room, site

        /// Whether entities of the hub or of a node have identifiers that begin with this slug.
        func isReserved(_ slug: String) -> Bool {
            switch self {
            case .region:
                slug == "nodes" || slug == "home_occupied" || slug == "regions_inside" || isOfRooms(slug)
                    // The event of a node's prompt, beside the event of a region.
                    || slug.hasSuffix("_question")
            case .node, .site: isOfRooms(slug)
            case .room: false
            }
        }

        private func isOfRooms(_ slug: String) -> Bool { slug == "room" || slug.hasPrefix("room_") }
    }

    /// Returns the slug of an identifier by itself.
    private static func slug(of identifier: String, _ kind: Kind) -> String {
        let slug = Slug.text(of: identifier)
        if slug.isEmpty { return "x\(StableHash.text(of: identifier))" }
        return kind.isReserved(slug) ? Slug.shortened("\(kind.rawValue)_\(slug)", to: Slug.limit) : slug
    }

    /// Returns the names of the identifiers that share their slug with others, by level. Each of them has a hash, so that no
    /// region has the name that another one had before it was added.
    private static func exceptions(_ identifiers: [String], _ kind: Kind) -> [String: String] {
        var slugs: [String: String] = [:]
        for identifier in identifiers {
            let level = TopicName(identifier).level
            // A level can be listed beside its identifier, whose letters a person recognizes.
            if slugs[level] == nil || identifier != level { slugs[level] = slug(of: identifier, kind) }
        }
        let levels = Dictionary(grouping: slugs.keys) { slugs[$0] ?? $0 }
        let shared = levels.filter { $0.value.count > 1 }
        var taken = Set(levels.keys), numbers: [String: Int] = [:], exceptions: [String: String] = [:]
        for (level, slug) in shared.flatMap({ slug, levels in levels.map { ($0, slug) } }).sorted(by: { $0.0 < $1.0 }) {
            let name = free(slug, level, taken, &numbers)
            taken.insert(name)
            exceptions[level] = name
        }
        return exceptions
    }

    private static func free(
        _ slug: String, _ level: String, _ taken: Set<String>, _ numbers: inout [String: Int]
    ) -> String {
        let hash = StableHash.text(of: level)
        for suffix in [String(hash.prefix(6)), hash] {
            let name = joined(slug, suffix)
            if !taken.contains(name) { return name }
        }
        // Only identifiers that were chosen for their hashes come here.
        let key = joined(slug, hash)
        while true {
            let number = numbers[key, default: 1] + 1
            numbers[key] = number
            let name = joined(slug, "\(hash)_\(number)")
            if !taken.contains(name) { return name }
        }
    }

    private static func joined(_ slug: String, _ suffix: String) -> String {
        "\(Slug.shortened(slug, to: Slug.limit - suffix.utf8.count - 1))_\(suffix)"
    }
}

/// A name in the letters that Home Assistant accepts in an entity's identifier.
enum Slug {
    /// The maximum length, in letters.
    static let limit = 64

    /// Returns the name in small letters of ASCII, digits and single underscores: the umlauts of German as two letters, the other
    /// letters of Latin scripts without their marks, and an underscore in the place of all else between two letters. It is empty
    /// if the name has no letter of a Latin script and no digit.
    static func text(of name: String) -> String {
        var slug = "", isBehindGap = false
        for character in name {
            if slug.utf8.count >= limit { break }
            let letters = letters(of: character)
            if letters.isEmpty {
                isBehindGap = !slug.isEmpty
            } else {
                slug += (isBehindGap ? "_" : "") + letters
                isBehindGap = false
            }
        }
        return shortened(slug, to: limit)
    }

    /// Returns the beginning of a slug, which is a slug, too.
    static func shortened(_ slug: String, to length: Int) -> String {
        let beginning = slug.prefix(length)
        return String(beginning.last == "_" ? beginning.dropLast() : beginning)
    }

    private static func letters(of character: Character) -> String {
        let small = character.lowercased()
        if let first = small.first, let spelling = spellings[first] { return spelling }
        // Without its marks, if a letter has no composed form with them.
        guard let scalar = small.unicodeScalars.first, "a"..."z" ~= scalar || "0"..."9" ~= scalar else { return "" }
        return String(scalar)
    }

    /// The letters of ASCII in the place of a letter. Characters are equal if they are canonically equivalent, so that a letter with
    /// a combining mark is found by its composed form.
    private static let spellings: [Character: String] = {
        var spellings: [Character: String] = [
            "æ": "ae", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ĳ": "ij", "ĸ": "k", "ł": "l", "ŉ": "n", "ŋ": "n",
            "ø": "o",
            "œ": "oe", "ß": "ss", "ſ": "s", "ŧ": "t", "þ": "th",
        ]
        for (letter, marked) in marked {
            for character in marked { spellings[character] = letter }
        }
        // German.
        for (letter, spelling) in [("ä", "ae"), ("ö", "oe"), ("ü", "ue")] as [(Character, String)] {
            spellings[letter] = spelling
        }
        return spellings
    }()

    /// The letters with marks of the blocks Latin-1 Supplement, Latin Extended-A, Latin Extended-B and Latin Extended Additional
    /// that have a canonical decomposition.
    private static let marked: KeyValuePairs = [
        "a": "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ", "b": "ḃḅḇ", "c": "çćĉċčḉ", "d": "ďḋḍḏḑḓ",
        "e": "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ", "f": "ḟ", "g": "ĝğġģǧǵḡ", "h": "ĥȟḣḥḧḩḫẖ", "i": "ìíîïĩīĭįǐȉȋḭḯỉị", "j": "ĵǰ",
        "k": "ķǩḱḳḵ", "l": "ĺļľḷḹḻḽ", "m": "ḿṁṃ", "n": "ñńņňǹṅṇṉṋ", "o": "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ",
        "p": "ṕṗ",
        "r": "ŕŗřȑȓṙṛṝṟ", "s": "śŝşšșṡṣṥṧṩ", "t": "ţťțṫṭṯṱẗ", "u": "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự", "v": "ṽṿ",
        "w": "ŵẁẃẅẇẉẘ", "x": "ẋẍ", "y": "ýÿŷȳẏẙỳỵỷỹ", "z": "źżžẑẓẕ",
    ]
}
