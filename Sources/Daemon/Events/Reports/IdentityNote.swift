import OkaeriPlumbing

/// A peculiarity of a beacon's identity that makes a region of it wrong, in words.
package enum IdentityNote {
    /// Several devices send the identity.
    case shared(transmitters: Int)
    /// One device changes its identity.
    case changing(MaskReport)

    /// The notes about a beacon.
    static func notes(transmitters: Int?, _ mask: MaskReport?) -> [IdentityNote] {
        [transmitters.map { .shared(transmitters: $0) }, mask.map { .changing($0) }].compactMap(\.self)
    }

    /// The end of a sentence about the beacon.
    package var sentence: String { texts(in: .english).sentence }

    /// The action that fixes it.
    package var remedy: String? { texts(in: .english).remedy }

    /// Returns both in a line.
    package func text(in language: Language) -> String {
        let texts = texts(in: language)
        return language.parts([texts.sentence, texts.remedy].compactMap(\.self))
    }

    private func texts(in language: Language) -> Finding.Translation {
        switch self {
        case .shared(let transmitters): .init(language(ExplanationPhrase.sharedIdentity, "\(transmitters)"))
        case .changing(let mask): .init(language(ExplanationPhrase.changingIdentity, mask.words, mask.fields.json))
        }
    }

    /// Both in one line of a table.
    package var line: String {
        switch self {
        case .shared(let transmitters): "\(transmitters) devices send this identity; give yours another one"
        case .changing(let mask): "its \(mask.words) changes; the region needs \"mask\": \(mask.fields.json)"
        }
    }

    /// The values of its sentences.
    var values: [String] {
        switch self {
        case .shared(let transmitters): ["\(transmitters)"]
        case .changing(let mask): [mask.words, mask.fields.json]
        }
    }

    /// The kind of finding.
    var code: Finding.Code {
        switch self {
        case .shared: .sharedIdentity
        case .changing: .changingIdentity
        }
    }
}

extension BeaconReport {
    /// The notes about its identity.
    package var identityNotes: [IdentityNote] { IdentityNote.notes(transmitters: transmitters, proposedMask) }
}

extension JudgementReport {
    /// The notes about its identity.
    package var identityNotes: [IdentityNote] { IdentityNote.notes(transmitters: transmitters, proposedMask) }
}
