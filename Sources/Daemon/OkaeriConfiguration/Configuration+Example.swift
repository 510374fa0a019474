extension Configuration {
    /// A configuration to start from, as `okaeri config example` prints it.
    package static let example = """
        {
          "adapter": "hci0",
          "regions": [
            {
              "identifier": "home",
              "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0",
              "major": 100,
              "minor": 100,
              "ranging": true,
              "wifi": { "ssid": "HomeNet", "join": "prompt" }
            }
          ]
        }

        """
}
