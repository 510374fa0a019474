/// The enrollment of a phone on the page. It contains no key and no identity address.
package struct EnrollmentReport: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// This daemon can enroll no phone; see ``EnrollmentReport/reason``.
        case unavailable
        /// No phone was enrolled since the start of the daemon, or the last result was cleared.
        case idle
        /// Services and advertisement are being registered.
        case preparing
        /// No phone is connected.
        case advertising
        /// A phone is connected that has not paired.
        case pairing
        /// The phone has paired, and reads the services.
        case settling
        /// The key and the region are being written.
        case writing
        /// The enrollment was ended, and the adapter is being restored.
        case ending
        /// The region is in use.
        case done
        /// Nothing was written; see ``EnrollmentReport/problem``.
        case failed
    }

    /// The reason why no phone was enrolled.
    package enum Problem: String, Codable, Sendable, CaseIterable {
        /// No phone has connected in time.
        case noPhone
        /// A phone was connected, and has not paired in time.
        case notPaired
        /// The phone has paired, and has sent no key.
        case noKey
        /// A browser, or the end of the daemon, has ended it.
        case ended
        /// Bluetooth cannot be used.
        case bluetooth
        /// The key or the region cannot be written.
        case notWritten
    }

    /// A device that requests to pair.
    package struct Question: Codable, Sendable, Equatable {
        package var id: Int
        /// The name of the device, without control characters.
        package var device: String?
        package var address: String
        /// The six digits that both sides show; `nil`: the device cannot show any.
        package var digits: String?

        package init(id: Int, device: String? = nil, address: String, digits: String? = nil) {
            (self.id, self.device, self.address, self.digits) = (id, device, address, digits)
        }
    }

    /// The receptions of the phone since it was enrolled.
    package struct Reception: Codable, Sendable, Equatable {
        package var count: Int
        /// The last RSSI in dBm; `nil` if there is none.
        package var rssi: Int?
        /// The seconds since the enrollment.
        package var seconds: Int

        package init(count: Int, rssi: Int? = nil, seconds: Int) {
            (self.count, self.rssi, self.seconds) = (count, rssi, seconds)
        }
    }

    package var state: State
    /// The name of the phone and of its region; `nil` if none was enrolled.
    package var name: String?
    /// The name that phones show.
    package var advertised: String?
    /// The device that this machine resembles: `heart-rate` or `keyboard`.
    package var `as`: String?
    /// The seconds that are left for the pairing.
    package var secondsLeft: Int?
    /// The name of the phone that has paired, without control characters.
    package var device: String?
    /// The question that waits for an answer.
    package var question: Question?
    package var problem: Problem?
    /// The reason of ``State/unavailable`` and ``State/failed`` in a sentence, with the remedy.
    package var reason: LocalizedText?
    /// The receptions in the first ten minutes after ``State/done``.
    package var reception: Reception?

    package init(state: State, reason: LocalizedText? = nil) { (self.state, self.reason) = (state, reason) }
}

/// The request to enroll a phone.
package struct EnrollmentRequest: Codable, Sendable, Equatable {
    /// The name of the phone, and of its region if ``region`` is `nil`.
    package var name: String
    /// The region that the phone is added to; `nil` for a new region.
    package var region: String?
    /// The device that this machine is to resemble; `nil`: a heart-rate monitor.
    package var `as`: String?
    /// The time limit of the pairing in seconds; `nil`: two minutes.
    package var timeout: Int?

    package init(name: String, region: String? = nil, as profile: String? = nil, timeout: Int? = nil) {
        (self.name, self.region, self.as, self.timeout) = (name, region, profile, timeout)
    }
}

/// The answer to a question of an enrollment.
package struct EnrollmentAnswer: Codable, Sendable, Equatable {
    package var question: Int
    /// Whether the digits match, and the device may pair.
    package var agrees: Bool

    package init(question: Int, agrees: Bool) { (self.question, self.agrees) = (question, agrees) }
}
