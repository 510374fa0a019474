/// How a beacon advertises, as far as it can be told from what is received.
public struct AdvertisingPattern: Hashable, Sendable {
    /// The time from one advertisement to the next, with the random delay that every advertiser adds to it.
    public var interval: Duration

    /// Which part of the advertisements is not received, from 0 to 1: by distance, by collisions, and because we listen
    /// only for a part of the time.
    public var loss: Double
}
