import MQTT
import Testing

@testable import House

/// Brokers that do not deliver every retained message.
@Suite struct RetentionTests {
    var house = HouseBench()

    private func fault(_ name: String) -> BrokerProblem? { house.nodes[name]?.core.fault(at: house.now) }

    @Test mutating func `a broker that delivers retained messages to wildcards has no fault`() {
        house.start("hall")
        house.start("attic")
        house.pass(30)
        for name in ["hall", "attic"] {
            #expect(fault(name) == nil)
            #expect(house.nodes[name]?.filters.contains("okaeri/home/+/\(name)/about") == false)
        }
    }

    @Test mutating func `a broker that delivers no retained message to wildcards is reported after ten seconds`() {
        house.deliversToWildcards = false
        house.start("hall")
        house.start("attic")
        house.pass(9)
        #expect(fault("hall") == nil && fault("attic") == nil)
        house.pass(2)
        #expect(fault("hall") == .withholdsRetained && fault("attic") == .withholdsRetained)
        #expect(house.nodes["hall"]?.filters.contains("okaeri/home/+/hall/about") == false)
        // This node's prompt is subscribed to without wildcards.
        house.publish("okaeri/home/node/hall/prompt", Array("x".utf8), isRetained: true)
        house.pass(30)
        #expect(fault("hall") == .withholdsRetained)
    }

    @Test mutating func `the fault ends with the connection`() {
        house.deliversToWildcards = false
        house.start("hall")
        house.pass(5)
        house.cut("hall")
        house.connect("hall")
        house.pass(11)
        #expect(fault("hall") == .withholdsRetained)
        house.cut("hall")
        #expect(fault("hall") == nil)
        house.deliversToWildcards = true
        house.connect("hall")
        house.pass(30)
        #expect(fault("hall") == nil)
    }
}
