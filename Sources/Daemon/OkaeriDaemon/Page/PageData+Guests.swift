import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriServer
import OkaeriWiFi

/// The QR codes of networks for guests.
extension PageData {
    /// Passphrases: for a browser with a session alone.
    var guestEndpoints: [Endpoint] {
        [
            Endpoint(.get, Route.guests) { _ in .json(try await guests()) },
            Endpoint(.get, "\(Route.guests)/code", rights: .all) { exchange in
                let ssid = try exchange.query(
                    Route.ssid, or: .noNetwork, "\(Route.guests)/code?\(Route.ssid)=…")
                return .json(try await guestCode(of: ssid), headers: [.cacheControl: "no-store"])
            },
        ]
    }

    func guests() async throws(PageFailure) -> GuestsReport {
        var report = GuestsReport(networks: [])
        for region in try await configuredRegions() {
            guard let ssid = region.network?.ssid else { continue }
            let index = report.networks.firstIndex { $0.ssid == ssid }
            if index == nil { report.networks.append(.init(ssid: ssid, regions: [])) }
            if region.showsNetwork {
                report.networks[index ?? report.networks.count - 1].regions.append(region.identifier)
            }
        }
        return report
    }

    /// Returns the QR code of a network of ``guests()``. It contains the passphrase.
    func guestCode(of ssid: String) async throws(PageFailure) -> GuestCodeReport {
        let regions = try await configuredRegions().filter { $0.network?.name == SSID(ssid) }
        guard let network = (regions.first(where: \.showsNetwork) ?? regions.first)?.network else {
            throw PageFailure(.notFound, .noNetwork, ssid.plain())
        }
        return GuestCodeReport(ssid: network.ssid, text: try await code(of: network).text)
    }

    private func configuredRegions() async throws(PageFailure) -> [Configuration.Region] {
        try await pool.run { [files] () throws(PageFailure) in
            try Self.content(of: files).merged.configuration.regions
        }
    }

    private func code(of network: HomeNetwork) async throws(PageFailure) -> GuestCode {
        if let file = network.passphraseFile {
            return try await pool.run { () throws(PageFailure) in
                do throws(PassphraseFileError) {
                    return try PassphraseFile.load(file).withCString { GuestCode(network, passphrase: $0) }
                } catch {
                    throw PageFailure(.serviceUnavailable, LocalizedText("\(error)"))
                }
            }
        }
        switch await wifi.passphrase(of: network) {
        case .success(let passphrase): return passphrase.withCString { GuestCode(network, passphrase: $0) }
        case .failure(let failure): throw Self.failure(failure)
        }
    }
}
