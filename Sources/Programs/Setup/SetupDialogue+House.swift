import OkaeriConfiguration

/// The place of this machine in a house of several: the first one has the regions, each further one joins it.
extension SetupDialogue {
    mutating func askFirst() -> [Action] {
        ask(.first, "Is this the first or only Pi of your house? n: it joins a house that has one. [Y/n] ")
    }

    mutating func askBroker() -> [Action] {
        ask(.broker, "The MQTT broker of the house, HOST or HOST:PORT, such as mqtt.lan (8883: with TLS): ")
    }

    mutating func chose(broker line: String) -> [Action] {
        guard let address = BrokerAddress(line), Configuration.isHost(address.host) else {
            return [.say("A name such as mqtt.lan or an address such as 192.168.1.10, please.")] + askBroker()
        }
        question = nil
        return [.join(line)]
    }

    func endReceiver(_ arguments: String) -> [Action] {
        [
            .say(
                """
                This Pi is a receiver of a house: the regions are those of the hub, and `okaeri setup` there changes them. On this Pi:
                  sudo okaeri join \(arguments)   # changes the broker, the room and the name
                  sudo okaeri setup --beacon UUID/MAJOR/MINOR --identifier NAME   # adds a region of this Pi alone
                To make it a hub, delete "receiver" or "standby" from \(file) and run `sudo okaeri setup` again.
                """),
            .end(.receiver),
        ]
    }
}
