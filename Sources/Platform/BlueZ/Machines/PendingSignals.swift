import DBus

/// The signals that bluetoothd sends while it lists its objects, to be applied to the list. Changes of one interface,
/// again and again, are one notice, so that there are no more of them than objects; but for the values of
/// characteristics, each of which counts.
struct PendingSignals: Sendable, Equatable {
    typealias Notice = MirrorMachine.Notice

    /// In the order in which they are to be applied.
    private(set) var notices: [Notice] = []

    /// The position of the signal into which a further one can be merged, by path and interface.
    private var last: [String: [String: Int]] = [:]

    mutating func append(_ notice: Notice) {
        switch notice {
        case .added(let path, _), .removed(let path, _):
            last[path] = nil
            notices.append(notice)
        case .changed(let path, let interface, let changed, let invalidated):
            guard interface != Interface.characteristic else { return notices.append(notice) }
            if let index = last[path]?[interface], let merged = notices[index].merging(changed, invalidated) {
                notices[index] = merged
            } else {
                last[path, default: [:]][interface] = notices.count
                notices.append(notice)
            }
        }
    }

    mutating func removeAll() {
        self = PendingSignals()
    }
}

extension MirrorMachine.Notice {
    /// One that has the effect of this and a later one; nil where this is no change of properties.
    fileprivate func merging(_ later: ObjectTree.Properties, _ laterInvalidated: [String]) -> Self? {
        guard case .changed(let path, let interface, var changed, let invalidated) = self else { return nil }
        changed.merge(later) { _, new in new }
        for name in laterInvalidated { changed[name] = nil }
        let still = invalidated.filter { later[$0] == nil && !laterInvalidated.contains($0) }
        return .changed(path, interface, changed, invalidated: still + laterInvalidated)
    }
}
