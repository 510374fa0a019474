import OkaeriTestSupport
import OkaeriWiFi
import Testing

@testable import OkaeriNetworkManager

extension NetworkManagerTests {
    /// The choice of the Wi-Fi device, if there are several or the only one is in use.
    @Suite struct Devices {
        private let bench: NetworkManagerBench
        private let service: NetworkManagerService

        /// Joined with the user's consent.
        private let prompted: HomeNetwork

        /// Joined without a question.
        private let automatic: HomeNetwork

        init() async throws {
            bench = try await NetworkManagerBench()
            service = NetworkManagerService(address: bench.address)
            prompted = try HomeNetwork(ssid: "Home")
            automatic = try HomeNetwork(ssid: "Home", join: .auto)
        }

        /// `wlan0` connects to the network "Office".
        private func connectElsewhere() async throws {
            let office = try bench.hear("Office", strength: 90)
            let profile = try bench.save("Office")
            try bench.call("Connect", NetworkManagerBench.radio, profile, office)
            _ = await service.state { $0.connectedSSID == "Office" }
        }

        @Test func `an idle device joins, although the device of a hotspot receives the network better`() async throws {
            let idle = try bench.call("AddRadio", "wlan1", 30)
            try bench.hear("Home", strength: 71)
            try bench.hear("Home", strength: 70, on: idle)
            try bench.save("Home")
            try bench.call("Serve", NetworkManagerBench.radio, "Kitchen")
            let joined = JoinedNetwork(ssid: "Home", device: "wlan1", credentials: .savedProfile)
            #expect(try await withRunning(service) { await service.join(prompted) } == .success(joined))
            #expect(try bench.report().activated.map(\.device) == [idle])
        }

        @Test func `the access to the Internet is that of the device that joined, although another one is connected`()
            async throws
        {
            let idle = try bench.call("AddRadio", "wlan1", 30)
            try bench.hear("Home", strength: 70, on: idle)
            try bench.save("Home")
            let (service, network) = (service, prompted)
            try await withRunning(service) {
                try await connectElsewhere()
                #expect(try await service.join(network).get().device == "wlan1")
                try bench.call("SetConnectivity", NetworkManagerBench.radio, 4)
                try bench.call("SetConnectivity", idle, 3)
                let state = await service.state {
                    $0.internet == .full && $0.internet(through: network.name, on: "wlan1") == .limited
                }
                #expect(state?.connectedSSID == "Office")
                #expect(state?.internet(through: network.name, on: "wlan0") == nil)
            }
        }

        @Test func `a device that serves a hotspot is never taken, not even with consent`() async throws {
            try bench.hear("Home", strength: 71)
            try bench.save("Home")
            try bench.call("Serve", NetworkManagerBench.radio, "Kitchen")
            try await withRunning(service) {
                #expect(await service.failureCode(of: prompted) == "servesHotspot")
                #expect(await service.failureCode(joining: prompted) == "servesHotspot")
            }
            #expect(try bench.report().activated.isEmpty)
        }

        @Test func `an idle device joins, although a connected device receives the network better`() async throws {
            let idle = try bench.call("AddRadio", "wlan1", 30)
            try bench.hear("Home", strength: 60)
            try bench.hear("Home", strength: 59, on: idle)
            try bench.save("Home")
            try await withRunning(service) {
                try await connectElsewhere()
                #expect(await service.failureCode(joining: automatic) == nil)
            }
            #expect(try bench.report().activated.map(\.device) == [idle])
        }

        @Test func `an automatic join does not leave another network and reports why`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try await withRunning(service) {
                try await connectElsewhere()
                #expect(await service.failureCode(of: automatic) == "connectedElsewhere")
                #expect(await service.failureCode(joining: automatic) == "connectedElsewhere")
                #expect(service.state.connectedSSID == "Office")
            }
            #expect(try bench.report().activated.isEmpty)
        }

        @Test func `a join with the user's consent leaves another network`() async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try await withRunning(service) {
                try await connectElsewhere()
                #expect(await service.conditionAtFullSignal(of: prompted) == .ready(via: .savedProfile))
                #expect(await service.failureCode(joining: prompted) == nil)
                #expect(await service.state { $0.connectedSSID == "Home" } != nil)
            }
        }

        @Test(
            .timeLimit(.minutes(2)),
            arguments: ["Kitchen", "Home"])
        func `a device that begins to serve a hotspot is never taken, whatever its name`(name: String) async throws {
            try bench.hear("Home")
            try bench.save("Home")
            try await withRunning(service) {
                try bench.call("StartHotspot", NetworkManagerBench.radio, name)
                _ = await service.state(where: \.activating)
                // The profile of an activation arrives after the activation.
                try await eventually("the device serves a hotspot") {
                    await service.failureCode(of: prompted) == "servesHotspot"
                }
                #expect(await service.failureCode(joining: prompted) == "servesHotspot")
                #expect(await service.failureCode(joining: automatic) == "servesHotspot")
            }
            #expect(try bench.report().activated.isEmpty)
        }

        @Test func `an automatic join does not leave an unprotected network of the same name`() async throws {
            let twin = try bench.hear("Home", flags: 0, rsn: 0)
            let open = try bench.save("Home", security: "")
            try bench.hear("Home")
            try bench.save("Home")
            try await withRunning(service) {
                try bench.call("Connect", NetworkManagerBench.radio, open, twin)
                _ = await service.state { $0.connectedSSID != nil }
                #expect(await service.failureCode(joining: automatic) == "connectedToTwin")
                #expect(try bench.report().activated.isEmpty)
                #expect(await service.failureCode(joining: prompted) == nil)
            }
        }

        @Test
        func `an automatic join does not leave a network that was joined while NetworkManager checked the permission`()
            async throws
        {
            try bench.call("Await", "Home", 1, 0, NetworkManagerBench.Air.psk, 40, false)
            try bench.save("Home")
            let office = try bench.hear("Office", strength: 90)
            let profile = try bench.save("Office")
            try await withRunning(service) {
                _ = await service.state(where: \.deviceReady)
                try bench.call("ConnectInPermissionCheck", NetworkManagerBench.radio, profile, office)
                #expect(await service.failureCode(joining: automatic) == "connectedElsewhere")
            }
            #expect(try bench.report().activated.isEmpty)
        }

        @Test func `only a connection at 2.4 GHz uses 2.4 GHz`() async throws {
            let accessPoint = try bench.hear("Home")
            let other = try bench.hear("Home")
            try bench.call("SetFrequency", other, 5180)
            let profile = try bench.save("Home")
            try await withRunning(service) {
                #expect(await service.state { $0.deviceReady }?.uses24GHz == false)
                try bench.call("Connect", NetworkManagerBench.radio, profile, accessPoint)
                #expect(await service.state { $0.connectedSSID != nil }?.uses24GHz == true)
                try bench.call("Connect", NetworkManagerBench.radio, profile, other)
                #expect(await service.state { $0.uses24GHz == false } != nil)
                try bench.call("SetDeviceState", NetworkManagerBench.radio, 10)
                #expect(await service.state { $0.uses24GHz == nil } != nil, "what is not managed is not known")
            }
        }

        @Test func `a hotspot at 2.4 GHz uses it`() async throws {
            try bench.call("Serve", NetworkManagerBench.radio, "Home")
            try await withRunning(service) {
                #expect(await service.state { $0.uses24GHz == true } != nil)
            }
        }

        @Test func `a hotspot of the same name on this machine is not a connection to the network`() async throws {
            let idle = try bench.call("AddRadio", "wlan1", 30)
            try bench.hear("Home", strength: 70, on: idle)
            try bench.save("Home")
            try bench.call("Serve", NetworkManagerBench.radio, "Home")
            try await withRunning(service) {
                let state = await service.state { $0.deviceReady }
                #expect(state?.connectedSSID == nil)
                let joined = JoinedNetwork(ssid: "Home", device: "wlan1", credentials: .savedProfile)
                #expect(await service.join(prompted) == .success(joined))
            }
            #expect(try bench.report().activated.map(\.device) == [idle])
        }
    }
}
