/// The networks whose QR codes the page shows.
package struct GuestsReport: Codable, Sendable, Equatable {
    package struct Network: Codable, Sendable, Equatable {
        package var ssid: String
        /// The regions at whose arrival the page shows the code without a request.
        package var regions: [String]

        package init(ssid: String, regions: [String]) {
            self.ssid = ssid
            self.regions = regions
        }
    }

    package var networks: [Network]

    package init(networks: [Network]) {
        self.networks = networks
    }
}

/// The text of the QR code that joins a network with a phone's camera. It contains the passphrase.
package struct GuestCodeReport: Codable, Sendable, Equatable {
    package var ssid: String
    /// Such as `WIFI:T:WPA;S:HomeNet;P:correct horse;;`.
    package var text: String

    package init(ssid: String, text: String) {
        (self.ssid, self.text) = (ssid, text)
    }
}
