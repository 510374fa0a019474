import Testing

@testable import OkaeriNetworkManager

@Suite struct RegulatoryDomainTests {
    @Test(arguments: [("00\n", true), ("JP\n", false), ("", false)])
    func `Raspberry Pi OS without a country is recognized`(text: String, isUnset: Bool) throws {
        let (parameter, program) = (try TemporaryFile(text), try TemporaryFile("#!/bin/sh\n", mode: 0o755))
        #expect(RegulatoryDomain(parameter: parameter.path, program: program.path).isCountryUnset == isUnset)
        #expect(!RegulatoryDomain(parameter: parameter.path, program: program.sibling("none")).isCountryUnset)
        #expect(!RegulatoryDomain(parameter: parameter.sibling("none"), program: program.path).isCountryUnset)
    }
}
