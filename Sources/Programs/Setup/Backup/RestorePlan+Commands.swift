package import OkaeriConfiguration
import OkaeriPlumbing

extension RestorePlan {
    /// A command of the restored configuration.
    package struct Command: Sendable, Equatable {
        package var command: Configuration.EventCommand
        /// Whether the present configuration does not run it for the same event of the same devices.
        package var isNew: Bool
        /// The event and its devices, for people.
        package var cause: String
    }

    /// The commands that the restored configuration runs, and the present one does not.
    package var newCommands: [Command] { commands.filter(\.isNew) }

    /// Returns the commands of the restored configuration. The changes must be known.
    func plannedCommands() -> [Command] {
        let restored = archive.contents[.state(.regions)].flatMap { try? SavedRegions(json: $0, file: "") }
        let saved = restored ?? SavedRegions()
        let former = presentCommands()
        let changedKeys = replacedKeys(saved)
        return configuration.commands(with: saved).map { command in
            let isKnown = former.contains { $0.isSame(as: command) }
            return Command(
                command: command, isNew: !isKnown || changesDevices(of: command.trigger, saved),
                cause: "\(command.key) of \(command.trigger.description(changedKeys: changedKeys))")
        }
    }

    /// Returns the key files of phones, as regions name them, that are there and get another key.
    private func replacedKeys(_ saved: SavedRegions) -> Set<String> {
        let isReplaced = { (path: String) in changes.contains { $0.path == path && $0.action == .replaced } }
        let named = configuration.secretFiles.filter { $0.kind == .phone }.map(\.path).filter(isReplaced)
        return Set(named + saved.phones.filter { isReplaced("\(directory)/\($0)") })
    }

    private func presentCommands() -> [Configuration.EventCommand] {
        // Regions that cannot be read are not in use either.
        let saved = try? rights { () throws(BackupFailure) in
            (try? SavedRegionsFile(directory: directory).regions()) ?? SavedRegions()
        }
        return present?.commands(with: saved ?? SavedRegions()) ?? []
    }

    /// Returns whether the restoring replaces a file that determines the devices of a trigger: the key of a phone, or the regions of the
    /// hub at a standby.
    private func changesDevices(of trigger: Configuration.EventCommand.Trigger, _ saved: SavedRegions) -> Bool {
        switch trigger {
        case .region: trigger.keyFiles.contains(where: isWritten)
        case .service: false
        case .house:
            configuration.secretFiles.contains { $0.kind == .phone && isWritten($0.path) }
                || saved.phones.contains { isWritten("\(directory)/\($0)") }
                || configuration.isStandby && isWritten("\(directory)/\(StateDirectory.File.house.rawValue)")
        }
    }
}
