import HCI

/// The advertisers, and the reports to the host.
extension Emulation {
    mutating func advertise(at now: Int64) {
        for index in advertisers.indices where advertisers[index].isDue(at: now) {
            advertise(index, at: now)
        }
        guard flood != nil else { return }
        for _ in 0..<Flood.turn {
            guard let number = flood?.next(at: now) else { break }
            if floodAdvertises(number, at: now) { flood?.heard += 1 }
        }
        guard let flood, flood.isOver else { return }
        self.flood = nil
        flushBatch()
        log("flood done count=\(flood.sent) heard=\(flood.heard)")
    }

    /// One advert of a flood. Returns whether it was reported.
    private mutating func floodAdvertises(_ number: Int, at now: Int64) -> Bool {
        guard let flood else { return false }
        guard flood.isIncluded(number),
            let index = advertisers.firstIndex(where: { $0.description.name == flood.plan.included })
        else { return report(flood.advert(number), at: now) }
        return advertise(index, at: now)
    }

    /// One advert, and the scan response if it is asked for. Returns whether the advert was reported.
    @discardableResult
    mutating func advertise(_ index: Int, at now: Int64) -> Bool {
        let advertiser = advertisers[index]
        let isReported = report(advertiser.advert(at: now), at: now) { emulation in
            emulation.advertisers[index].heard += 1
            if advertiser.heard == 0 {
                let level = advertiser.signal.level(at: now).level
                emulation.log("first advert \(advertiser.description.name) rssi=\(level)")
            }
        }
        if controller.isScanningActively, let response = advertiser.response(at: now) {
            report(response, at: now)
        }
        return isReported
    }

    /// Reports an advertisement to the host, if the controller receives it; `note` comes before what is sent.
    @discardableResult
    private mutating func report(
        _ advert: AdvertisingReport, at now: Int64, note: (inout Emulation) -> Void = { _ in }
    ) -> Bool {
        guard isPlugged, misbehaviour.stall == nil, let family = controller.heard(advert, at: now) else { return false }
        note(&self)
        do throws(HCIEncodingError) {
            for fragment in advert.fragments {
                sendReports(try batch.append(fragment, as: family, at: now))
            }
        } catch {
            log("error an advert could not be reported: \(error)")
        }
        return true
    }

    mutating func flushBatch() {
        do throws(HCIEncodingError) {
            sendReports(try batch.flush())
        } catch {
            log("error a batch of reports could not be sent: \(error)")
        }
    }

    private mutating func sendReports(_ packets: [[UInt8]]) {
        for packet in packets {
            guard misbehaviour.cuts > 0 else {
                send(packet)
                continue
            }
            misbehaviour.cuts -= 1
            log("cut a report event")
            send(Self.cut(packet))
        }
    }

    /// The event without the last of its bytes: its length is right, but its last report needs more.
    private static func cut(_ packet: [UInt8]) -> [UInt8] {
        let missing = 4
        var bytes = [UInt8](packet.dropLast(missing))
        bytes[2] -= UInt8(missing)
        return bytes
    }
}
