/// Ends the process when what must hold for every input does not: libFuzzer keeps the input then.
@inlinable
public func require(
    _ condition: @autoclosure () throws -> Bool, _ rule: @autoclosure () -> String, file: StaticString = #file,
    line: UInt = #line
) {
    let holds = (try? condition()) ?? false
    if !holds { fatalError(rule(), file: file, line: line) }
}

/// Every error has a text for a person.
public func requireWords(_ error: some Error & CustomStringConvertible) {
    require(!error.description.isEmpty, "\(type(of: error)) has no description")
}

/// The input of one run, where it lies: the address sanitizer sees a read beyond its end.
@inlinable
public func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
}
