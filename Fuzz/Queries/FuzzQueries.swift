import OkaeriFuzzSupport
import OkaeriEvents

/// The input is a path with its query, as the page requests it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQueries(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: input(start, count), as: UTF8.self)
    checkTimes(text)
    let target = text.hasPrefix("/") ? text : "/\(text)"
    let answer = Page.shared.answer(to: target)
    QueryRules(answer: answer).check()
    return 0
}

/// A time that is read is written as the same one.
private func checkTimes(_ text: String) {
    if let time = Timestamp.nanoseconds(text), time != .min, time != .max {
        let again = Timestamp.nanoseconds(Timestamp.text(time))
        require(again == time, "\(text) is another time when it is written: \(Timestamp.text(time))")
    }
    if let moment = LocalTime.moment(text), text.utf8.count == 10 {
        // Times before 1677 and after 2262 are held at the ends.
        let isHeld = text < "1677-09-22" || text > "2262-04-11"
        require(isHeld || LocalTime.day(moment) == text, "\(text) is another day: \(LocalTime.day(moment))")
    }
}
