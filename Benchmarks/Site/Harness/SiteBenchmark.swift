import Glibc

/// The nodes of a site, for `Benchmarks/Site/measure`, which controls them and their broker.
///
///     SiteBenchmark nodes PORT NODES REGIONS FIRST COUNT [DISCOVERY]   some of the site's nodes, see ``Crowd``
///     SiteBenchmark observe PORT                                        the messages of the broker, see ``Observer``
///     SiteBenchmark observation NODES REGIONS COUNT                     the cost of an observation to its owner in ns
@main enum SiteBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        switch (arguments.first, numbers.count) {
        case ("nodes", 5):
            let discovery = arguments.count == 7 ? arguments.last : nil
            let crowd = try Crowd(
                World(nodes: numbers[1], regions: numbers[2]), of: numbers[3]..<numbers[3] + numbers[4],
                port: UInt16(clamping: numbers[0]), discovery: discovery)
            try crowd.obey()
        case ("observe", 1): try await Observer.run(port: UInt16(clamping: numbers[0]))
        case ("observation", 3):
            print(try await ObservationCost(World(nodes: numbers[0], regions: numbers[1])).measure(numbers[2]))
        default:
            print(
                "usage: SiteBenchmark nodes PORT NODES REGIONS FIRST COUNT [DISCOVERY] | observe PORT | "
                    + "observation NODES REGIONS COUNT")
            exit(EX_USAGE)
        }
    }

    /// Prints a line for the caller, at once.
    static func say(_ words: String) {
        print(words)
        fflush(nil)
    }
}
