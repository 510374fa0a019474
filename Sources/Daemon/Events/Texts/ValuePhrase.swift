import OkaeriPlumbing

/// The values in mistakes of a configuration, as English has them, with `{0}` to `{9}` in the places of numbers and names. Others, such as
/// names, are the same in each language.
package enum ValuePhrase: String, Phrase {
    case nothing = "nothing"
    case object = "an object"
    case string = "a string"
    case number = "a number"
    case bool = "true or false"
    case value = "a value"
    case endOfFile = "the end of the file"
    case quotedKey = "a key in double quotes"
    case commaOrBrace = "a comma or a closing brace"
    case commaOrBracket = "a comma or a closing bracket"
    case closingQuote = "a closing quote; control characters are written as escapes"
    case unknownKey = "an unknown key"
    case byteOrderMark = "a byte order mark"
    case network = "the network's name, 1 to 32 bytes"
    case comment = "a comment"
    case noComment = "no comment, because JSON has none: delete it"
    case commaBeforeBracket = "a comma before ']'"
    case commaBeforeBrace = "a comma before '}'"
    case noComma = "no comma behind the last value: delete it"
    case noNextComma = "no comma behind the value"
    case nextComma = "a comma before the next one"
    case comma = "a comma"
    case quotationMark = "the quotation mark"
    case straightQuote = "the straight one, '\"'; write the file with a plain text editor, such as nano"
    case noBreakSpace = "a no-break space"
    case ordinarySpace = "an ordinary space; text from a web page has others"
    case fullWidthSpace = "a full-width space"
    case space = "an ordinary space"
    case fullWidthColon = "a full-width colon"
    case fullWidthComma = "a full-width comma"
    case fullWidthBracket = "a full-width bracket"
    case singleQuote = "a single quotation mark"
    case doubleQuote = "a double one, '\"'"
    case uuid = "a UUID such as 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34"
    case regions = "an array of regions"
    case noFile = "no such file"
    case absentFile = "No such file or directory"
    case wholeNumber = "a whole number from {0} to {1}"
    case wholeDBm = "a whole number from {0} to {1} dBm"
    case wholeDays = "a whole number from {0} to {1} days"
    case range = "a number from {0} to {1}"
    case rangeDB = "a number from {0} to {1} dB"
    case rangeSeconds = "a number from {0} to {1} seconds"
    case rangeMilliseconds = "a number from {0} to {1} milliseconds"
    case oneOf = "one of {0}"
    case either = "{0} or {1}"
    case objectSuchAs = "an object, such as {0}"
    case array = "an array of {0}"
    case atMost = "at most {0}"
    case atMostInterval = "at most the interval, {0}"
    case atMostEntry = "at most enterRSSI, {0} dBm"
    case identifier =
        "a name that can be read, without control characters, spaces at its ends and a hyphen at its beginning, such as \"home\""
    case newIdentifier =
        "a name that can be read, without control characters, spaces at its ends and a hyphen at its beginning that no other region has"
    case ownName = "a name of its own"
    case ownIdentifier = "an identifier of its own beside it"
    case sameName = "{0}, which {1} has too"
    case nodeName = "up to 64 letters of ASCII, digits, - and _"
    case siteName = "1 to 64 letters of ASCII, digits, hyphens and underscores"
    case room = "the name of a room, of up to {0} bytes without control characters"
    case adapter = "the name of an adapter, such as \"hci0\""
    case secretFile = "an absolute path, or $CREDENTIALS_DIRECTORY/NAME"
    case command = "a command and its arguments, such as [\"/usr/local/bin/welcome\"]"
    case relativePath = "a relative path"
    case program = "an absolute path, or a name that is in $PATH"
    case scan = "\"continuous\", \"shared\", or an object"
    case besideScan = "lateShare beside {0}"
    case oneOfScan = "one of them: a fixed scan does not depend on beacons"
    case onlyOne = "one of them"
    case tls = "true, false or an object with {0}"
    case tlsForPassword =
        "true or {\"ca\": …} beside a password, which every device in the network could read otherwise; or false, to send it unencrypted"
    case pem = "an absolute path of a file in PEM"
    case belongsTo = "the file that belongs to the {0}"
    case user = "a name of the broker's users"
    case userBesidePassword = "a name beside the password"
    case broker = "the broker's name or address, such as \"mqtt.lan\""
    case hostAlone = "the host alone, \"{0}\""
    case hostAndPort = "the host alone, \"{0}\", and its port as \"port\": {1}"
    case hostWithoutScheme = "the host alone, \"{0}\", without \"{1}\""
    case hostWithoutSchemeAndPort = "the host alone, \"{0}\", without \"{1}\", and its port as \"port\": {2}"
    case hostWithoutSchemeAndWithTLS = "the host alone, \"{0}\", without \"{1}\", and \"tls\": true"
    case hostWithoutSchemeAndWithPortAndTLS =
        "the host alone, \"{0}\", without \"{1}\", and its port as \"port\": {2}, and \"tls\": true"
    case hostWithoutBrackets = "the name without brackets, \"{0}\": only an IPv6 address has them"
    case listen =
        "an address of this machine and a port, such as \"{0}\" for this machine alone, or \"{1}\" for the network"
    case hosts = "a list of names without a port, such as [\"okaeri.example.org\"]"
    case host = "a name without a port, such as \"{0}\""
    case openToNetwork = "false, because users of other machines reach {0}"
    case openBehindProxy = "false, because a proxy serves the page to other machines under the names of web.hosts"
    case thisName = "this name"
    case services = "an array of services"
    case rule = "a name for the rule, such as \"remote\""
    case service = "a service's UUID of 4, 8 or 32 digits, such as \"180F\""
    case besideSigns = "a key beside anyOf"
    case inSigns = "this key in the elements of anyOf"
    case signs = "an array of 1 to {0} signs"
    case otherSigns = "other signs"
    case besidePhone = "a key beside phone"
    case beaconOrPhone = "a beacon or a phone"
    case majorBesideMinor = "a major beside the minor"
    case maskDigits = "four hexadecimal digits in quotation marks, such as \"FF00\""
    case uuidMask = "a UUID with the digits F and 0, such as {0}"
    case leastBits = "at least {0} bits that count, because the beacons of others would match"
    case ssidHex =
        "the bytes of the network's name, 2 to {0} hexadecimal digits, as \"436166E9\"; `nmcli -f SSID,SSID-HEX device wifi list` prints them"
    case hotspot = "the name of a profile of NetworkManager"
    case noHotspot = "no \"hotspot\" unless \"onArrival\" is \"hotspot\""
    case noGuests = "false, because a QR code has names in UTF-8 alone"
    case onceAlone = "\"once\" without \"passphraseFile\""
    case passphraseForOnce = "\"passphraseFile\" beside \"once\""
    case receiverAlone = "true, without \"mqtt\""
    case brokerOfHub = "\"mqtt\" beside it, the broker of the hub"
    case receivers = "an array of at most {0} receivers"
    case receiversAlone = "a list without \"mqtt\""
    case brokerOfReceivers = "\"mqtt\" beside it, their broker"
    case topicTwice = "the topic \"{0}\" twice"
    case topicOnce = "each topic once"
    case keyOfOthers = "a key of other receivers"
    case keyInPlace = "\"{0}\" in its place"
    case topicBase = "the first levels of the topics, without + and #, such as \"{0}\""
    case topicOfReceiver = "a topic with + in the place of the receiver's name, and without #, such as \"{0}\""
    case topicOfGateway = "a topic with BTtoMQTT/# at its end, and one + at most, such as \"{0}\""
    case receiverRooms = "an object with at most {0} receivers"
    case receiverName = "the name of a receiver, of up to 64 bytes"
    case servers = "an array of at most {0} servers"
    case topic = "the address of a topic, such as \"https://ntfy.sh/TOPIC\""
    case webAddress = "an address with http or https"
    case listOf = "a list of {0} and {1}"
    case regionNames = "a list of names of regions"
    case secondLogin = "a second login"
    case oneLogin = "either this file, or the user and the password in \"url\""
    case radios = "a list of at most {0} names of Pis, such as [\"hall\"]"
    case discovery = "Home Assistant's prefix, \"homeassistant\" mostly, or false"
    case phones = "{0} phones"
    // The reasons of the kernel.
    case permissionDenied = "Permission denied"
    case notPermitted = "Operation not permitted"
    case diskFull = "No space left on device"
    case readOnly = "Read-only file system"
    case inputOutput = "Input/output error"
    case isFolder = "Is a directory"
    case noFolder = "Not a directory"
    case openFiles = "Too many open files"
    case linkLoop = "Too many levels of symbolic links"
    case longName = "File name too long"
    case busy = "Device or resource busy"
    case memory = "Cannot allocate memory"
    case refused = "Connection refused"
    case unreachable = "Network is unreachable"
    case noRoute = "No route to host"
    case timedOut = "Connection timed out"
    case addressInUse = "Address already in use"
    case noAddress = "Cannot assign requested address"
    case largeFile = "File too large"
    // Remarks about a configuration that is valid.
    case factoryGroup = "the UUID is that of {0}, and the region has each beacon with it, also a neighbour's"
    case factoryNumbers =
        "the UUID is that of {0}, and major {1} minor {2} are those of a new beacon, also of a neighbour's"
    case factoryRemedy =
        "write a UUID of your own into the beacon with its maker's app (`uuidgen` makes one), or give its major and minor, if they are its own"
    case sameBeacon = "it has the beacon of region \"{0}\""
    case sameBeaconRemedy = "both are always in the same state: give it another beacon, or delete one of them"
    case unlimitedSign =
        "it has neither enterRSSI nor exitRSSI, which {0} has: wherever this sign is received, the region is inside"
    case unlimitedSignRemedy = "measure its signal and give it both, because another device sends with another strength"
    case commandMode = "{0} is not executable for user {1}"
    case commandAbsent = "{0} cannot be examined: No such file or directory"
    case commandInstall = "install the program, or correct its path"
    case run = "run `{0}`"
    case runAsRoot = "run `{0}` as root"
    case ssidSpace = "the name of the network begins or ends with a space"
    case ssidControl = "the name of the network contains control characters"
    case ssidRemedy = "compare it with `nmcli device wifi list`: it must be the same, byte by byte"

    package var texts: (english: String, japanese: String) { (rawValue, japanese) }

    private var japanese: String { syntax ?? settings ?? reasons ?? "" }

    private var syntax: String? {
        switch self {
        case .nothing: "何も書かれていない値"
        case .object: "オブジェクト { }"
        case .string: "文字列"
        case .number: "数値"
        case .bool: "true か false"
        case .value: "値"
        case .endOfFile: "ファイルの終わり"
        case .quotedKey: "二重引用符で囲んだキー"
        case .commaOrBrace: "コンマか閉じ波括弧 }"
        case .commaOrBracket: "コンマか閉じ角括弧 ]"
        case .closingQuote: "閉じる二重引用符（制御文字はエスケープで書きます）"
        case .unknownKey: "不明なキー"
        case .byteOrderMark: "バイト順マーク（BOM）"
        case .network: "1～32 バイトのネットワーク名"
        case .comment: "コメント"
        case .noComment: "JSON にコメントは書けません。削除してください"
        case .commaBeforeBracket: "] の前のコンマ"
        case .commaBeforeBrace: "} の前のコンマ"
        case .noComma: "最後の値の後にコンマは不要です。削除してください"
        case .noNextComma: "コンマのない値"
        case .nextComma: "次の値の前のコンマ"
        case .comma: "コンマ"
        case .quotationMark: "引用符"
        case .straightQuote: "半角の \"。nano などのテキストエディターで書いてください"
        case .noBreakSpace: "改行しない空白（U+00A0）"
        case .ordinarySpace, .space: "半角の空白"
        case .fullWidthSpace: "全角の空白"
        case .fullWidthColon: "全角のコロン"
        case .fullWidthComma: "全角のコンマ"
        case .fullWidthBracket: "かぎ括弧"
        case .singleQuote: "引用符 '"
        case .doubleQuote: "二重引用符 \""
        case .uuid: "UUID（例：5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34）"
        case .regions: "リージョンの配列 [ ]"
        case .noFile, .absentFile: "ファイルがありません"
        default: nil
        }
    }

    /// The values of keys.
    private var settings: String? {
        switch self {
        case .wholeNumber: "{0}～{1} の整数"
        case .wholeDBm: "{0}～{1} dBm の整数"
        case .wholeDays: "{0}～{1} 日の整数"
        case .range: "{0}～{1} の数値"
        case .rangeDB: "{0}～{1} dB の数値"
        case .rangeSeconds: "{0}～{1} 秒の数値"
        case .rangeMilliseconds: "{0}～{1} ミリ秒の数値"
        case .oneOf: "{0} のどれか"
        case .either: "{0} か {1}"
        case .objectSuchAs: "{0} のようなオブジェクト"
        case .array: "要素が {0} 個の配列"
        case .atMost: "{0} 以下"
        case .atMostInterval: "interval の {0} 以下"
        case .atMostEntry: "enterRSSI の {0} dBm 以下"
        case .identifier: "読める名前（例：\"home\"）。制御文字、前後の空白、先頭のハイフンは使えません"
        case .newIdentifier: "ほかのリージョンにない、読める名前。制御文字、前後の空白、先頭のハイフンは使えません"
        case .ownName: "ほかと重ならない名前"
        case .ownIdentifier: "隣に、ほかと重ならない identifier"
        case .sameName: "{0}（{1} にも同じものがあります）"
        case .nodeName: "半角の英数字、-、_ で 64 文字まで"
        case .siteName: "半角の英数字、ハイフン、下線で 1～64 文字"
        case .room: "制御文字を含まない {0} バイト以内の部屋の名前"
        case .adapter: "アダプターの名前（例：\"hci0\"）"
        case .secretFile: "絶対パス、または $CREDENTIALS_DIRECTORY/名前"
        case .command: "コマンドと引数の配列（例：[\"/usr/local/bin/welcome\"]）"
        case .relativePath: "相対パス"
        case .program: "絶対パス、または $PATH にあるコマンドの名前"
        case .scan: "\"continuous\"、\"shared\"、またはオブジェクト"
        case .besideScan: "{0} と lateShare の両方"
        case .oneOfScan: "どちらか一方。固定のスキャンはビーコンに左右されません"
        case .onlyOne: "どちらか一方"
        case .tls: "true、false、または {0} を持つオブジェクト"
        case .tlsForPassword: "パスワードがあるため true か {\"ca\": …}（そうしないとネットワーク内のすべての機器に読まれます）。暗号化せずに送るには false"
        case .pem: "PEM 形式のファイルの絶対パス"
        case .belongsTo: "{0} に対応するファイル"
        case .user: "ブローカーのユーザー名"
        case .userBesidePassword: "パスワードと組になるユーザー名"
        case .broker: "ブローカーの名前かアドレス（例：\"mqtt.lan\"）"
        case .hostAlone: "ホストの \"{0}\" だけ"
        case .hostAndPort: "ホストの \"{0}\" だけ。ポートは \"port\": {1} と書きます"
        case .hostWithoutScheme: "\"{1}\" を除いたホストの \"{0}\" だけ"
        case .hostWithoutSchemeAndPort: "\"{1}\" を除いたホストの \"{0}\" だけ。ポートは \"port\": {2} と書きます"
        case .hostWithoutSchemeAndWithTLS: "\"{1}\" を除いたホストの \"{0}\" だけ。暗号化には \"tls\": true と書きます"
        case .hostWithoutSchemeAndWithPortAndTLS:
            "\"{1}\" を除いたホストの \"{0}\" だけ。ポートは \"port\": {2}、暗号化には \"tls\": true と書きます"
        case .hostWithoutBrackets: "角括弧を除いた名前の \"{0}\"。角括弧は IPv6 アドレスだけに使います"
        case .listen: "この機器のアドレスとポート。この機器だけなら \"{0}\"、ネットワークからも使うなら \"{1}\""
        case .hosts: "ポートのない名前の配列（例：[\"okaeri.example.org\"]）"
        case .host: "ポートのない名前（例：\"{0}\"）"
        case .openToNetwork: "false。{0} にはほかの機器からも接続できます"
        case .openBehindProxy: "false。web.hosts の名前で、プロキシがほかの機器にもページを公開します"
        case .thisName: "この名前"
        case .services: "サービスの配列 [ ]"
        case .rule: "規則の名前（例：\"remote\"）"
        case .service: "4、8、または 32 桁のサービスの UUID（例：\"180F\"）"
        case .besideSigns: "anyOf の横のキー"
        case .inSigns: "このキーを anyOf の要素に書くこと"
        case .signs: "1～{0} 個の目印の配列"
        case .otherSigns: "別の目印"
        case .besidePhone: "phone の横のキー"
        case .beaconOrPhone: "ビーコンかスマートフォンのどちらか"
        case .majorBesideMinor: "minor と組になる major"
        case .maskDigits: "引用符で囲んだ 4 桁の 16 進数（例：\"FF00\"）"
        case .uuidMask: "F と 0 だけの UUID（例：{0}）"
        case .leastBits: "比較するビットが {0} 以上。それより少ないと、他人のビーコンも一致します"
        case .ssidHex:
            "ネットワーク名のバイト列を表す 2～{0} 桁の 16 進数（例：\"436166E9\"）。`nmcli -f SSID,SSID-HEX device wifi list` で表示されます"
        case .hotspot: "NetworkManager の接続設定の名前"
        case .noHotspot: "\"onArrival\" が \"hotspot\" でなければ、\"hotspot\" は書けません"
        case .noGuests: "false。QR コードの名前は UTF-8 だけです"
        case .onceAlone: "\"passphraseFile\" のない \"once\""
        case .passphraseForOnce: "\"once\" と組になる \"passphraseFile\""
        case .receiverAlone: "\"mqtt\" のない true"
        case .brokerOfHub: "隣に、ハブのブローカーの \"mqtt\""
        case .receivers: "{0} 個以内の受信機の配列"
        case .receiversAlone: "\"mqtt\" のない配列"
        case .brokerOfReceivers: "隣に、受信機のブローカーの \"mqtt\""
        case .topicTwice: "トピック \"{0}\" の重複"
        case .topicOnce: "トピックごとに一つ"
        case .keyOfOthers: "ほかの受信機のキー"
        case .keyInPlace: "代わりに \"{0}\""
        case .topicBase: "+ と # を含まない、トピックの先頭の階層（例：\"{0}\"）"
        case .topicOfReceiver: "受信機の名前の位置に + があり、# を含まないトピック（例：\"{0}\"）"
        case .topicOfGateway: "BTtoMQTT/# で終わり、+ が一つ以内のトピック（例：\"{0}\"）"
        case .receiverRooms: "{0} 個以内の受信機のオブジェクト"
        case .receiverName: "64 バイト以内の受信機の名前"
        case .servers: "{0} 個以内のサーバーの配列"
        case .topic: "トピックのアドレス（例：\"https://ntfy.sh/TOPIC\"）"
        case .webAddress: "http か https のアドレス"
        case .listOf: "{0}、{1} の配列"
        case .regionNames: "リージョンの名前の配列"
        case .secondLogin: "二つ目のログイン"
        case .oneLogin: "このファイルか、\"url\" の中のユーザー名とパスワードのどちらか一方"
        case .radios: "{0} 個以内の Raspberry Pi の名前の配列（例：[\"hall\"]）"
        case .discovery: "Home Assistant のプレフィックス（通常は \"homeassistant\"）か false"
        case .phones: "{0} 台のスマートフォン"
        default: nil
        }
    }

    /// The reasons of the kernel, and remarks.
    private var reasons: String? {
        switch self {
        case .permissionDenied: "権限がありません"
        case .notPermitted: "許可されていません"
        case .diskFull: "ディスクがいっぱいです"
        case .readOnly: "読み取り専用のファイルシステムです"
        case .inputOutput: "入出力エラーです"
        case .isFolder: "フォルダーです"
        case .noFolder: "フォルダーではありません"
        case .openFiles: "開いているファイルが多すぎます"
        case .linkLoop: "シンボリックリンクが循環しています"
        case .longName: "ファイル名が長すぎます"
        case .busy: "使用中です"
        case .memory: "メモリーが足りません"
        case .refused: "接続を拒否されました"
        case .unreachable: "ネットワークに接続できません"
        case .noRoute: "ホストに到達できません"
        case .timedOut: "応答がありません"
        case .addressInUse: "そのアドレスは使用中です"
        case .noAddress: "この機器のアドレスではありません"
        case .largeFile: "ファイルが大きすぎます"
        case .factoryGroup: "UUID が工場出荷時のもの（{0}）で、近所のものも含め、同じ UUID のビーコンがすべてこのリージョンになります"
        case .factoryNumbers: "UUID が工場出荷時のもの（{0}）で、major {1}・minor {2} も新品のビーコンの値です。近所のビーコンと重なることがあります"
        case .factoryRemedy:
            "メーカーのアプリでビーコンに独自の UUID を設定するか（`uuidgen` で作成できます）、major と minor がそのビーコン独自のものなら両方を書いてください"
        case .sameBeacon: "リージョン「{0}」と同じビーコンです"
        case .sameBeaconRemedy: "どちらも常に同じ状態になります。別のビーコンにするか、どちらかを削除してください"
        case .unlimitedSign: "{0} にある enterRSSI と exitRSSI がどちらもないため、この目印を受信できる場所すべてで圏内になります"
        case .unlimitedSignRemedy: "電波の強さは機器によって違うため、この目印で測定して両方を書いてください"
        case .commandMode: "ユーザー {1} は {0} を実行できません"
        case .commandAbsent: "{0} がありません"
        case .commandInstall: "プログラムをインストールするか、パスを直してください"
        case .run: "`{0}` を実行してください"
        case .runAsRoot: "root で `{0}` を実行してください"
        case .ssidSpace: "ネットワーク名の前か後ろに空白があります"
        case .ssidControl: "ネットワーク名に制御文字があります"
        case .ssidRemedy: "`nmcli device wifi list` と比べて、まったく同じ名前にしてください"
        default: nil
        }
    }
}

/// The remedies in mistakes of a configuration that depend on the installation.
package enum RemedyPhrase: Phrase {
    case createFile, admission

    package var texts: (english: String, japanese: String) {
        switch self {
        case .createFile:
            (
                "create one with \(Remedy.setup()), or correct the path",
                "\(Remedy.setup().japanese("で"))作成するか、パスを直してください"
            )
        case .admission: Remedy.admission
        }
    }
}

extension ValuePhrase {
    /// The phrases with values, those with the most letters first: others are the beginning of them.
    private static let templates: [(phrase: ValuePhrase, pieces: [Substring])] = allCases.map { phrase in
        (phrase, pieces(phrase.rawValue))
    }.filter { $0.pieces.count > 1 }.sorted { $0.pieces.joined().utf8.count > $1.pieces.joined().utf8.count }

    /// Returns the phrase and the values of an English text; `nil` for a text that is in no catalogue.
    static func found(in text: String) -> (phrase: ValuePhrase, values: [String])? {
        if let phrase = ValuePhrase(rawValue: text) { return (phrase, []) }
        // Words are a choice. Other texts have "or" in the middle of a sentence.
        let isChoice = text.hasPrefix("\"") && text.hasSuffix("\"")
        for (phrase, pieces) in templates where isChoice == (phrase == .either) {
            if let values = values(between: pieces, in: text) { return (phrase, values) }
        }
        return nil
    }

    /// Returns the text before, between and behind the values.
    private static func pieces(_ template: String) -> [Substring] {
        var (pieces, rest) = ([Substring](), template[...])
        while let place = rest.firstRange(of: "{\(pieces.count)}") {
            pieces.append(rest[..<place.lowerBound])
            rest = rest[place.upperBound...]
        }
        return pieces + [rest]
    }

    private static func values(between pieces: [Substring], in text: String) -> [String]? {
        guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first), text.hasSuffix(last),
            first.utf8.count + last.utf8.count < text.utf8.count
        else { return nil }
        var (values, rest) = ([String](), text.dropFirst(first.count).dropLast(last.count))
        for piece in pieces.dropFirst().dropLast() {
            guard let place = rest.firstRange(of: piece) else { return nil }
            values.append(String(rest[..<place.lowerBound]))
            rest = rest[place.upperBound...]
        }
        return values + [String(rest)]
    }
}

extension Language {
    /// Returns a value of a mistake that was found, in the language if it has a text. A text of the file, in quotation marks, has none.
    package func found(_ text: String) -> String {
        let isOfFile = text.hasPrefix("\"") && text.hasSuffix("\"") && ValuePhrase(rawValue: text) == nil
        return isOfFile ? text : value(text)
    }

    /// Returns a value of a mistake in the language, if it has a text.
    package func value(_ text: String) -> String {
        let mark = ValuePhrase.quotationMark
        if text.hasPrefix(mark.rawValue + " ") { return self(mark) + text.dropFirst(mark.rawValue.count) }
        guard self != .english else { return text }
        if let remedy = RemedyPhrase.allCases.first(where: { $0.texts.english == text }) { return self(remedy) }
        guard let (phrase, values) = ValuePhrase.found(in: text) else { return text }
        return self(phrase, phrase == .either ? values.map { value($0) } : values)
    }
}
