/// Runs a service while `body` runs, and cancels it when `body` is over, however that ends.
///
/// - Parameter service: The service, which ends when it is cancelled. Its failure is that of the test, unless `body` fails.
package func running(
    _ service: @escaping @Sendable () async throws -> Void, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
) async throws {
    let task = Task { try await service() }
    let result: Result<Void, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    task.cancel()
    let end = await task.result
    try result.get()
    if case .failure(let error) = end, !(error is CancellationError) { throw error }
}
