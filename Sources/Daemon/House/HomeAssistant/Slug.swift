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
