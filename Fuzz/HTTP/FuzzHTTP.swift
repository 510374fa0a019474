import OkaeriFuzzSupport

/// The input is what a client sends on one connection, behind an octet that chooses the listener and how the client sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    guard let choice = bytes.first else { return 0 }
    let listener = ListenerKind.allCases[Int(choice) & 3]
    var conversation = Conversation(with: listener)
    let sent = Array(bytes.dropFirst())
    // In whole, or in pieces that split lines and numbers.
    let piece = choice & 4 == 0 ? sent.count : 1 + Int(choice >> 4)
    var rest = sent[...]
    while !rest.isEmpty {
        conversation.send(rest.prefix(piece))
        rest = rest.dropFirst(piece)
    }
    if choice & 8 != 0 { conversation.hangUp() }
    conversation.end()
    conversation.check(sent)
    return 0
}
