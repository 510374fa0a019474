import OkaeriServer

@testable import OkaeriDaemon

extension PageData {
    func picture(
        of day: String, from: String? = nil, to: String? = nil, width: String? = nil, language: String? = nil,
        regions: String? = nil, signals: String? = nil
    ) async throws(PageFailure) -> String {
        try await picture(
            of: day, from: from, to: to, width: width, language: language, regions: regions, signals: signals,
            demandRoom: {}
        ) { draw throws(PageFailure) in
            let picture = Parts()
            try draw { picture.text += $0 }
            return picture.text
        }
    }

    private final class Parts {
        var text = ""
    }
}
