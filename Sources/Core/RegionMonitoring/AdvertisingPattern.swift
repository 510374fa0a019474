/// The advertising interval and loss of a beacon, estimated from its receptions.
public struct AdvertisingPattern: Hashable, Sendable {
    /// The time from one advertisement to the next, with the random delay that every advertiser adds to it.
    public var interval: Duration

    /// The part of the advertisements that is not received, from 0 to 1: by distance, by collisions, and because the
    /// scan window covers only a part of the time.
    public var loss: Double
}
