/// The steps of `okaeri setup` in a container, whose runtime starts the daemon.
package enum ContainerPhrase: Phrase {
    case restart

    package var texts: (english: String, japanese: String) {
        switch self {
        case .restart:
            (
                "Start the container of the daemon, or restart it, so that it uses the file.",
                "デーモンのコンテナーを起動するか、再起動してください。新しいファイルが使われます。"
            )
        }
    }
}
