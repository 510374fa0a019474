import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriSetup

@Suite struct NextStepsTests {
    private let service = "/etc/okaeri/beacons.json"

    @Test func `a service that runs is notified, one that does not is started`() {
        let running = NextSteps(file: service, daemon: .runs, isService: true).lines()
        #expect(running.first?.hasPrefix("sudo systemctl reload okaeri ") == true && running.count == 2)
        let absent = NextSteps(file: service, daemon: .absent, isService: true).lines()
        #expect(absent.first?.hasPrefix("sudo systemctl enable --now okaeri ") == true)
        for isService in [true, false] {
            let other = NextSteps(file: "./my beacons.json", daemon: .absent, isService: isService).lines()
            #expect(other.first?.hasPrefix("okaeri monitor --config './my beacons.json' ") == true)
        }
    }

    @Test func `in a container the runtime starts the daemon`() {
        for daemon in [NextSteps.Daemon.runs, .absent] {
            var steps = NextSteps(
                file: service, daemon: daemon, isService: true, outsider: "anna", unsavedNetwork: "HomeNet")
            Installation.local.withValue(.container) {
                let lines = steps.lines()
                #expect(lines.count == 4 && lines[1].hasPrefix("Start the container of the daemon, or restart it"))
                #expect(lines[0].hasPrefix("nmcli --ask device wifi connect HomeNet "))
                #expect(!lines.joined().contains(foreignCommand))
                steps.isApplied = true
                #expect(steps.lines().count == 3)
            }
        }
    }

    @Test func `the app for Home Assistant is restarted there`() {
        for language in Language.allCases {
            let steps = NextSteps(file: service, daemon: .runs, isService: true)
            let lines = Installation.local.withValue(.homeAssistant) { steps.lines(in: language) }
            #expect(lines.count == 2 && lines[0].contains("Home Assistant"))
            #expect(!lines.joined().contains("systemctl"))
        }
    }

    @Test func `a name is quoted for a shell`() {
        let steps = NextSteps(
            file: service, daemon: .runs, isService: true, outsider: "anna", unsavedNetwork: "Anna's $(reboot)")
        #expect(steps.lines().first?.hasPrefix(#"sudo nmcli --ask device wifi connect 'Anna'\''s $(reboot)' "#) == true)
        #expect(steps.lines().contains { $0.hasPrefix("sudo usermod -aG okaeri anna ") })
        #expect(steps.lines().last?.hasPrefix("okaeri status") == true)
    }
}
