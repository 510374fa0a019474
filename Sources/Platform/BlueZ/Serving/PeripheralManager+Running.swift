import DBus
import Plumbing
import Synchronization

extension PeripheralManager {
    /// Between two attempts, doubled up to the longest.
    private static let firstRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(30)

    /// Keeps it so, until cancelled. To be called once.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.mirror.run() }
            group.addTask { await self.follow() }
        }
        finish()
    }

    private func follow() async {
        var registration = Registration(manager: self)
        var (published, wasThere, retry): (Outlook?, Bool, BackOff) = (
            nil, false, BackOff(Self.firstRetry, limit: Self.longestRetry)
        )
        while !Task.isCancelled {
            let wanted = wishes.withLock(\.self)
            let view = mirror.view
            let outlook = outlook(view, wanted, wasThere)
            wasThere = wasThere || view.reach == .known
            if outlook.state != published?.state || outlook.reason != published?.reason, outlook.state != .unknown {
                publish(.didUpdateState(outlook.state, reason: outlook.reason))
                published = outlook
            }
            let isContent = await registration.fulfil(wanted, outlook, bus: view.bus)
            if isContent { retry.reset() }
            let deadline = isContent ? nil : ContinuousClock.now + retry.delay
            let isOver = try? await mirror.wait(until: deadline, for: .connections) {
                [registration, wasThere] view in
                let isSame = self.outlook(view, wanted, wasThere) == outlook && !registration.isOutdated
                return isSame && self.wishes.withLock { $0.isSame(as: wanted) } ? nil : true
            }
            if isOver == nil { _ = retry.next() }
        }
        registration.end()
        await registration.endFallback()
    }

    private func outlook(_ view: ObjectMirror.View, _ wanted: Wishes, _ wasThere: Bool) -> Outlook {
        let interfaces = [
            wanted.services.isEmpty ? nil : Interface.gattManager,
            wanted.advertisement == nil ? nil : Interface.advertisingManager,
        ]
        return Outlook(view, adapter: adapter, wasThere: wasThere, interfaces: interfaces.compactMap(\.self))
    }
}

extension PeripheralManager.Wishes {
    fileprivate func isSame(as other: Self) -> Bool {
        servicesVersion == other.servicesVersion && advertisementVersion == other.advertisementVersion
    }
}
