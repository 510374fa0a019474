import ArgumentParser
import Client
import OkaeriConfiguration
import Glibc
import Logging
import Plumbing
import Setup
import UnixSignals

/// Carries out what a set-up asks for, on this machine and this terminal.
actor SetupSession {
    enum News: Sendable {
        case event(SetupDialogue.Event)
        case firstRun(FirstRun.Event)
        /// The problem of the source; `nil`: none any more.
        case trouble(String?)
        /// The time left of a measurement.
        case left(Duration)
        case endOfInput, interrupted
    }

    private var dialogue: SetupDialogue
    /// The steps after the file is written.
    var firstRun: FirstRun?
    let file: ConfigurationFile
    private let text: String?
    let client: APIClient
    private let news: AsyncStream<News>
    private let radio: SetupRadio
    let wifi: SetupWiFi
    private let isSilent: Bool
    /// The report that is printed at the end in place of sentences; `nil`: sentences.
    var changeReport: ChangeReport?
    private var live: LiveQuestion?
    let waiting = WaitingLine()
    private var trouble: String?
    var outcome: Result<Void, ExitCode>?
    /// The broker of the house that the user joins instead.
    private(set) var broker: String?
    /// The terminal's state before what is typed was hidden; `nil`: it is shown.
    private var hidden: termios?

    init(
        _ dialogue: SetupDialogue, file: ConfigurationFile, text: String?, source: SourceOptions, client: APIClient,
        logger: Logger, isSilent: Bool, report changeReport: ChangeReport?
    ) {
        self.isSilent = isSilent
        self.changeReport = changeReport
        self.dialogue = dialogue
        self.file = file
        self.text = text
        self.client = client
        let (news, continuation) = AsyncStream.makeStream(of: News.self)
        self.news = news
        radio = SetupRadio(source, client: client, logger: logger) { continuation.yield($0) }
        wifi = SetupWiFi { continuation.yield($0) }
        report = { continuation.yield($0) }
    }

    let report: @Sendable (News) -> Void

    func run() async throws {
        // A reader that ends early must not kill the process: it still has to switch the scan off.
        signal(SIGPIPE, SIG_IGN)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigquit)
        let watch = Task { [report] in
            for await _ in signals { report(.interrupted) }
        }
        defer {
            watch.cancel()
            showInput()
        }
        if !isSilent { readLine() }
        await perform(dialogue.begin())
        if outcome == nil {
            for await item in news {
                await handle(item)
                if outcome != nil { break }
            }
        }
        showInput()
        await waiting.end()
        await radio.stop()
        await wifi.stop()
        if firstRun == nil, case .failure = outcome { await radio.switchBack() }
        try outcome?.get()
    }

    /// Reads the next line, on a thread of its own because that blocks. Before `okaeri join` asks, the last one is read.
    private func readLine() {
        do {
            try BlockingThread.start { [report] in
                report(TerminalQuestions.readLine().map { .event(.line($0)) } ?? .endOfInput)
            }
        } catch {
            report(.endOfInput)
        }
    }

    private func handle(_ item: News) async {
        switch item {
        case .event(.beacons(let beacons)): await perform(dialogue.handle(.beacons(beacons)))
        case .event(.line(let line)) where firstRun != nil:
            readLine()
            showInput()
            await continueFirstRun(.line(line))
        case .firstRun(let event): await continueFirstRun(event)
        case .event(let event):
            // The user's Enter has ended the line.
            live = nil
            let actions = dialogue.handle(event)
            if case .line = event { if case .join? = actions.last {} else { readLine() } }
            await perform(actions)
        case .left(let left): await perform(dialogue.handle(.measuring(left: left, trouble: trouble)))
        case .trouble(let sentence):
            trouble = sentence
            if let sentence { live?.draw([sentence]) }
        case .endOfInput, .interrupted:
            await waiting.end()
            showInput()
            try? Terminal.print("")
            if firstRun == nil { end(.declined) } else { endFirstRun(.failure) }
        }
    }

    func askSecret(_ question: String) {
        hidden = Terminal.hideInput()
        try? Terminal.write(question, to: .output)
    }

    private func showInput() {
        if let hidden { Terminal.showInput(hidden) }
        hidden = nil
    }

    private func perform(_ actions: [SetupDialogue.Action]) async {
        for action in actions where outcome == nil { await perform(action) }
    }

    /// Reports of the source may come while a step lasts: its line ends with the next action.
    private func perform(_ action: SetupDialogue.Action) async {
        await waiting.end()
        switch action {
        case .say(let sentence): if !sentence.isEmpty { say(sentence) }
        case .ask(let question): try? Terminal.write(question, to: .output)
        case .choose(let question): live = LiveQuestion(question)
        case .show(let candidates): live?.draw((trouble.map { [$0] } ?? []) + BeaconTable.lines(candidates))
        // An adapter may be slow, or there may be none.
        case .findBluetooth: Task { [radio] in await radio.find() }
        case .switchOn:
            await waiting.begin("switching Bluetooth on")
            await radio.switchOn()
        case .listen: await radio.listen()
        case .stopListening: await radio.stop()
        case .findNetworks:
            await waiting.begin("looking for Wi-Fi networks")
            wifi.find()
        case .examine(let network):
            await waiting.begin("looking for a profile of this network")
            wifi.examine(network)
        case .calibrate(let beacons, let identifier): await radio.calibrate(beacons, identifier: identifier)
        case .measureSignal: await radio.measureSignal()
        case .progress(let left, let readings): CalibrateCommand.show(left: left, readings: readings)
        case .join(let broker): (self.broker, outcome) = (broker, .success(()))
        case .write(let text): await write(text)
        case .end(let ending): end(ending)
        }
    }

    func say(_ sentence: String) {
        if changeReport == nil { try? Terminal.print(sentence) }
    }

    private func end(_ ending: SetupDialogue.Ending) {
        if ending != .receiver { Terminal.complain("nothing was written") }
        switch ending {
        case .receiver: outcome = .success(())
        case .declined: outcome = .failure(.failure)
        case .noBluetooth(let isPermission): outcome = .failure(isPermission ? Exit.noPermission : Exit.unavailable)
        case .noConfiguration: outcome = .failure(Exit.configuration)
        }
    }

    private func write(_ new: String) async {
        do throws(WriteObstacle) {
            let backup = try file.write(new, replacing: text)
            changeReport?.changed = new != text
            changeReport?.backup = backup
            say("\(file.path) is written" + (backup.map { "; the one before is \($0)" } ?? "") + ".")
        } catch {
            Terminal.complain(error.description)
            outcome = .failure(error.isPermission ? Exit.noPermission : Exit.ioError)
            return
        }
        await beginFirstRun(new, unsavedNetwork: dialogue.unsavedNetwork, isSilent: isSilent)
    }
}
