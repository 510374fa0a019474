import OkaeriPlumbing
import Testing

@Suite struct NanosecondsTests {
    @Test func `durations are held at the ends`() {
        #expect(Duration.seconds(2).clampedNanoseconds == 2_000_000_000)
        #expect(Duration.nanoseconds(-1).clampedNanoseconds == -1)
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 999_999_999).clampedNanoseconds == 1_000_000_000)
        #expect(Duration.nanoseconds(Int64.max).clampedNanoseconds == .max)
        #expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).clampedNanoseconds == .max)
        #expect(Duration.seconds(Int64.max).clampedNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).clampedNanoseconds == .min)
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max])
    func `sums and differences are the nearest number`(_ left: Int64) {
        for right in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
            let (sum, difference) = (Int128(left) + Int128(right), Int128(left) - Int128(right))
            #expect(left.addingClamped(right) == Int64(clamping: sum))
            #expect(left.subtractingClamped(right) == Int64(clamping: difference))
        }
    }

    @Test func `seconds have as many nanoseconds as a duration of them`() {
        for number in 0..<200_000 {
            let seconds = Double(number) * 0.018_1 + Double(number % 7) / 3
            #expect(Nanoseconds.count(seconds) == Duration.seconds(seconds).clampedNanoseconds, "\(seconds)")
        }
        #expect(Nanoseconds.count(14) == 14_000_000_000 && Nanoseconds.count(0.3) == 300_000_000)
    }
}
