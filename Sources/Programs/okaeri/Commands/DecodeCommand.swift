import ArgumentParser
import OkaeriEvents
import OkaeriListening

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode an advertisement.",
        discussion: """
            HEX is advertising data (02 01 06 1A FF 4C 00 …), alone or with its length in front as hcitool takes it, an HCI \
            event (04 3E … or 3E …), or manufacturer data (4C 00 02 15 …). Spaces, colons, 0x, the > of hcidump -R and Python's \
            b'…' are allowed. The first line names the form. Exit status 1 if it is not an iBeacon.
            """, shouldDisplay: false)

    @Flag(help: "Print JSON: uuid, major, minor, measuredPower.")
    var json = false

    @Argument(help: "The bytes, in hexadecimal.")
    var hex: [String]

    func run() throws {
        guard let bytes = DecodedAdvertisement.bytes(hex.joined(separator: " ")) else {
            throw CommandFailure(
                "cannot decode that: it is not hexadecimal; write an even number of digits 0-9 and A-F",
                status: Exit.usage)
        }
        let decoded = DecodedAdvertisement(bytes)
        if json {
            guard let object = decoded.json else { throw CommandFailure(decoded.verdict, status: .failure) }
            print(object)
        } else {
            print(decoded.text)
        }
        if decoded.frames.isEmpty { throw ExitCode.failure }
    }
}
