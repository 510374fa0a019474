import OkaeriFuzzSupport
import HCI

@testable import OkaeriHouse

/// The input is one of three, by its first byte: the text of a key file; messages of ESPresense, each a topic, 0xFF, a payload and
/// 0xFF; or addresses in range.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPhones(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](input(start, count))
    guard let kind = bytes.first else { return 0 }
    switch kind % 3 {
    case 0: checkText(String(decoding: bytes.dropFirst(), as: UTF8.self))
    case 1: checkMessages(bytes.dropFirst())
    default: checkAddresses(bytes.dropFirst())
    }
    return 0
}

/// A key is the same after it was written, and no text shows it.
private func checkText(_ text: String) {
    guard let identity = DeviceIdentity(text) else { return }
    let address = identity.address.map { " \($0)" } ?? ""
    require(DeviceIdentity(identity.key.secretText + address) == identity, "a key is written as another one")
    for shown in ["\(identity)", "\(identity.key)", String(reflecting: identity)] {
        require(!shown.lowercased().contains(identity.key.secretText.lowercased()), "a text shows the key")
    }
    require(identity.key.reversed.reversed == identity.key, "the order of bytes is lost")
}

/// The phones are bounded, and their names are safe to show.
private func checkMessages(_ bytes: ArraySlice<UInt8>) {
    let parts = bytes.split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)
    var directory = PhoneDirectory()
    for index in stride(from: 0, to: parts.count - 1, by: 2) {
        directory.receive(topic: String(decoding: parts[index], as: UTF8.self), payload: parts[index + 1])
    }
    require(directory.phones.count <= 64, "phones without a bound")
    for phone in directory.phones {
        require(!phone.name.isEmpty && phone.name.count <= 64, "a name of \(phone.name.count) characters")
        let isPlain = phone.name.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        require(isPlain, "a control character in a name")
        require(!phone.name.lowercased().contains(phone.key.secretText.lowercased()), "a name shows the key")
    }
}

/// A cipher that is not a cipher, quick and with few collisions.
private struct Mixing: AddressHash {
    let key: UInt32

    init(_ key: IdentityResolvingKey) {
        self.key = key.secretText.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }

    func hash(_ random: UInt32) -> UInt32 { ((random ^ key) &* 2_654_435_761 ^ key >> 3) & 0xFF_FFFF }
}

/// Each four bytes choose an address: of a phone in one order of its key's bytes, an identity address, or a foreign one.
private func checkAddresses(_ bytes: ArraySlice<UInt8>) {
    let identities = ["000102030405060708090a0b0c0d0e0f C0:11:22:33:44:55", "ec0234a357c8ad05341010a60a397d9b"]
        .compactMap { DeviceIdentity($0) }
    let ciphers = identities.map { (stated: Mixing($0.key), reversed: Mixing($0.key.reversed)) }
    var resolver = AddressResolver(identities) { Mixing($0) }
    var rest = bytes
    var time: Int64 = 0
    while rest.count >= 4 {
        let word = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        rest = rest.dropFirst(4)
        let (choice, phone) = (word >> 29, Int(word >> 28 & 1))
        // Few random parts, so that addresses come back.
        let random = 0x40_0000 | word & 0x3F
        var hash = word >> 6 & 0xFF_FFFF
        if choice < 3 { hash = ciphers[phone].stated.hash(random) }
        if choice == 3 { hash = ciphers[phone].reversed.hash(random) }
        let isIdentity = choice == 4
        let value = isIdentity ? 0xC011_2233_4455 : UInt64(random) << 24 | UInt64(hash)
        guard let address = BluetoothAddress(rawValue: value) else { continue }
        let type = BluetoothAddressType(rawValue: choice == 5 ? UInt8(truncatingIfNeeded: word) : isIdentity ? 3 : 1)
        let all = (0..<3).map { _ in
            time += 1_000_000_000
            return resolver.device(of: address, type, at: time)
        }
        let found = all[2]
        require(all.allSatisfy { $0 == nil || $0 == found }, "the same address is another device's")
        guard let found else {
            require(!isIdentity, "an identity address is not found")
            continue
        }
        let matches = [ciphers[found].stated, ciphers[found].reversed].contains { $0.hash(random) == hash }
        require(isIdentity ? found == 0 : matches && type == .random, "a foreign address is a phone's")
    }
}
