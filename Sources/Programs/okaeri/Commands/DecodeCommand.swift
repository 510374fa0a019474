import ArgumentParser
import Events
import Listening

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Explain one advertisement.",
        discussion: """
            HEX is advertising data (02 01 06 1A FF 4C 00 …) or a whole HCI event (04 3E …); spaces, colons and 0x \
            are allowed. Exit status 1 if there is no iBeacon in it.
            """)

    @Flag(help: "As JSON: uuid, major, minor, measuredPower.")
    var json = false

    @Argument(help: "The bytes, in hexadecimal.")
    var hex: [String]

    func run() throws {
        guard let bytes = DecodedAdvertisement.bytes(hex: hex.joined()) else {
            Terminal.complain("cannot decode that: it is not hexadecimal; write an even number of digits 0-9 and A-F")
            throw Exit.usage
        }
        let decoded = DecodedAdvertisement(bytes)
        if json {
            if let object = decoded.json { print(object) } else { Terminal.complain(decoded.verdict) }
        } else {
            print(decoded.text)
        }
        if decoded.frames.isEmpty { throw ExitCode(1) }
    }
}
