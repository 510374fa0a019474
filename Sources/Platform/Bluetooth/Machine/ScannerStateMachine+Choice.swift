import Plumbing

/// The choice of the adapter, if the configuration names none.
extension ScannerStateMachine {
    /// The number of faults in a row after which another adapter is tried.
    static let faultsTolerated = 3

    /// Counts a fault of the adapter in use. After some in a row, the adapters are listed, so that another one is chosen.
    mutating func faultNoted(_ adapter: Adapter) -> [Action] {
        guard adapterName == nil else { return [] }
        faults[adapter.index, default: 0] += 1
        return faults[adapter.index, default: 0].isMultiple(of: Self.faultsTolerated) ? [.inspectAdapters] : []
    }

    /// The adapter in use answers.
    mutating func faultsEnded(_ adapter: Adapter) {
        faults[adapter.index] = nil
        fault.reset()
        hopeless.reset()
    }

    /// Opens an adapter. One that has failed is opened after a delay, so that failing adapters make no fast loop.
    mutating func open(_ chosen: Adapter, at now: Int64) -> [Action] {
        let former = currentIndex
        var actions = endSession()
        if lastUpdate == .works(chosen) { actions += update(.powerCycled(chosen)) }
        if isFailing(chosen), let former, former != chosen.index {
            faults[chosen.index] = nil
            phase = .waiting(chosen.index, until: fault.next(after: now))
            return actions
        }
        phase = .opening(chosen)
        return actions + [.openScanSocket(chosen.index)]
    }

    /// Returns the configured adapter, or the best: the working one, then one that has not failed, then the next.
    func choose(_ adapters: [Adapter]) -> Adapter? {
        if let adapterName { return adapters.first { $0.name == adapterName } }
        let current = adapters.first { $0.index == currentIndex }
        let usable = adapters.filter { $0.isUp && $0.hasLowEnergy }
        let working = usable.filter { !isFailing($0) }
        if let current, working.contains(current) { return current }
        return working.first ?? usable.first { $0.index > currentIndex ?? .max } ?? usable.first
            ?? adapters.first(where: \.isUp) ?? current ?? adapters.first
    }

    private func isFailing(_ adapter: Adapter) -> Bool { faults[adapter.index, default: 0] >= Self.faultsTolerated }

    /// The index of the adapter that is in use, or that is waited for.
    private var currentIndex: UInt16? {
        if case .waiting(let index, _) = phase { return index }
        return adapter?.index
    }
}
