import IBeacon
import Testing

@Suite struct ADStructuresTests {
    /// Type and number of data bytes of each structure, and whether the last one overran.
    private func walk(_ bytes: [UInt8]) -> (found: [[Int]], overran: Bool) {
        var structures = ADStructures(bytes.span.bytes)
        var found: [[Int]] = []
        while let structure = structures.next() {
            found.append([structure.offset, Int(structure.type), structure.data.byteCount])
        }
        return (found, structures.overran)
    }

    @Test func `each structure is given with its place, type and data`() {
        let walked = walk(airLocate)
        #expect(walked.found == [[0, 0x01, 1], [3, 0xFF, 25]])
        #expect(!walked.overran)
    }

    @Test func `a length of zero ends the walk`() {
        let walked = walk([0x02, 0x01, 0x06, 0x00, 0x02, 0x01, 0x06])
        #expect(walked.found == [[0, 0x01, 1]])
        #expect(!walked.overran)
    }

    @Test func `a structure may be a type without data`() {
        #expect(walk([0x01, 0x09]).found == [[0, 0x09, 0]])
    }

    @Test func `an overrun ends the walk and is reported`() {
        #expect(walk([0x02, 0x01, 0x06, 0x03, 0x09, 0x41]).found == [[0, 0x01, 1]])
        #expect(walk([0x02, 0x01, 0x06, 0x03, 0x09, 0x41]).overran)
        #expect(walk([0x01]).overran)
        #expect(walk([0xFF]).found.isEmpty)
    }
}
