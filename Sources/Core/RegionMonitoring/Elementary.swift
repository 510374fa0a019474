// The elementary functions that the standard library does not have; the target imports no other library.

/// Two to the power of `x`, to fifteen digits, for any `x`.
func exp2(_ x: Double) -> Double {
    let whole = x.rounded()
    guard abs(whole) < 1000 else { return x < 0 ? 0 : .greatestFiniteMagnitude }
    // Taylor's series of e^y for |y| ≤ ln 2 / 2: the fourteenth term is below 1e-17.
    let y = (x - whole) * ln2
    var term = 1.0
    var sum = 1.0
    for n in 1...14 {
        term *= y / Double(n)
        sum += term
    }
    return Double(sign: .plus, exponent: Int(whole), significand: sum)
}

/// The natural logarithm of a positive normal number, to twelve digits.
func ln(_ x: Double) -> Double {
    // By the bits: the getters of the standard library are calls, which handle zero and infinity, too.
    let bits = x.bitPattern
    let significand = Double(bitPattern: bits & (1 << 52 - 1) | (1 as Double).bitPattern)
    // The area tangent's series at (s - 1) / (s + 1) ≤ 1/3: the twelfth term is below 1e-12.
    let y = (significand - 1) / (significand + 1)
    var power = y
    var sum = 0.0
    for n in stride(from: 1, through: 23, by: 2) {
        sum += power / Double(n)
        power *= y * y
    }
    return Double(Int(bits >> 52) - 1023) * ln2 + 2 * sum
}

func power(_ base: Double, _ exponent: Double) -> Double { exp2(exponent * ln(base) / ln2) }

private let ln2 = 0.693_147_180_559_945_3
