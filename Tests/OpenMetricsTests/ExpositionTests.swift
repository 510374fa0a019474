import Testing

@testable import OkaeriServer

@Suite struct ExpositionTests {
    private var families: [MetricFamily] {
        var reports = MetricFamily("okaeri_reports", .counter, "Reports.")
        reports.add(7)
        var deaf = MetricFamily("okaeri_deaf", .counter, unit: "seconds", "Deaf.")
        deaf.add(1.5)
        var build = MetricFamily("okaeri_build", .info, "Build.")
        build.add(1, ("version", "0.1.0"))
        var state = MetricFamily("okaeri_state", .gauge, "State.")
        state.add(true, ("region", "home"), ("state", "inside"))
        state.add(false, ("region", "home"), ("state", "outside"))
        return [reports, deaf, build, state, MetricFamily("okaeri_nothing", .gauge, "Nothing.")]
    }

    @Test func `OpenMetrics`() {
        #expect(
            Exposition.openMetrics.text(families) == """
                # TYPE okaeri_reports counter
                # HELP okaeri_reports Reports.
                okaeri_reports_total 7
                # TYPE okaeri_deaf_seconds counter
                # UNIT okaeri_deaf_seconds seconds
                # HELP okaeri_deaf_seconds Deaf.
                okaeri_deaf_seconds_total 1.5
                # TYPE okaeri_build info
                # HELP okaeri_build Build.
                okaeri_build_info{version="0.1.0"} 1
                # TYPE okaeri_state gauge
                # HELP okaeri_state State.
                okaeri_state{region="home",state="inside"} 1
                okaeri_state{region="home",state="outside"} 0
                # EOF

                """)
        #expect(
            Exposition.openMetrics.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8")
    }

    @Test func `the text format of Prometheus`() {
        #expect(
            Exposition.prometheus.text(families) == """
                # TYPE okaeri_reports_total counter
                # HELP okaeri_reports_total Reports.
                okaeri_reports_total 7
                # TYPE okaeri_deaf_seconds_total counter
                # HELP okaeri_deaf_seconds_total Deaf.
                okaeri_deaf_seconds_total 1.5
                # TYPE okaeri_build_info gauge
                # HELP okaeri_build_info Build.
                okaeri_build_info{version="0.1.0"} 1
                # TYPE okaeri_state gauge
                # HELP okaeri_state State.
                okaeri_state{region="home",state="inside"} 1
                okaeri_state{region="home",state="outside"} 0

                """)
        #expect(Exposition.prometheus.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test(arguments: [
        ("home", "home"), ("家の鍵", "家の鍵"), ("a\"b", #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#),
        ("a\0b", "a\u{FFFD}b"), ("a\r\nb", "a\r\\nb"), ("} 1\n# EOF\n", #"} 1\n# EOF\n"#), ("", ""),
    ])
    func `a value of a label is one, whatever it holds`(value: String, written: String) {
        var family = MetricFamily("okaeri_state", .gauge, "State.")
        family.add(1, ("region", value))
        for exposition in Exposition.allCases {
            let line = exposition.text([family]).utf8.split(separator: UInt8(ascii: "\n")).map { String($0) }[2]
            #expect(line == "okaeri_state{region=\"\(written)\"} 1")
        }
    }

    @Test func `values that are not numbers have their names`() {
        var family = MetricFamily("okaeri_signal", .gauge, unit: "dbm", "Signal: \\ and \" and\nmore.")
        for value in [-61.5, .nan, .infinity, -.infinity, 1_795_369_651.571] { family.add(value) }
        let text = Exposition.openMetrics.text([family])
        #expect(
            text.split(separator: "\n").dropFirst(3).dropLast().map { $0.split(separator: " ")[1] }
                == ["-61.5", "NaN", "+Inf", "-Inf", "1795369651.571"])
        #expect(text.contains(#"# HELP okaeri_signal_dbm Signal: \\ and \" and\nmore."#))
        #expect(Exposition.prometheus.text([family]).contains(#"Signal: \\ and " and\nmore."#))
    }

    @Test(arguments: [
        nil, "", "*/*", "text/html,*/*;q=0.8", "text/plain;version=0.0.4", "TEXT/PLAIN", "text/*", "nonsense",
        "application/openmetrics-text;q=0", "application/openmetrics-text;q=0.5,*/*",
        "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.999", "application/json",
        // A version that the daemon does not write.
        "application/openmetrics-text;version=0.0.1,text/plain;version=0.0.4;q=0.5",
        // Malformed ranges count for nothing.
        "application/openmetrics-text;q=2", "application/openmetrics-text;q=0.0001", "application/openmetrics-text;q",
        "application/openmetrics-text;a=\"b", "*/openmetrics-text", "application/openmetrics-text;q=-1",
        "text/plain;a=\",application/openmetrics-text\"",
    ])
    func `a client that does not request OpenMetrics gets the older format`(accept: String?) {
        #expect(Exposition(accepting: accept) == .prometheus)
    }

    @Test(arguments: [
        "application/openmetrics-text", "Application/OpenMetrics-Text; Version=1.0.0; Charset=UTF-8",
        "application/openmetrics-text,text/plain", "text/plain, application/openmetrics-text ;q=1.000",
        "application/*", "text/plain;q=0,application/*;q=0.1",
        "text/plain;a=\"b,c\";q=0.1,application/openmetrics-text;q=0.2",
        "application/openmetrics-text;version=\"1.0.0\"", "*/*;q=0.1,application/openmetrics-text;q=0.2",
        // As Prometheus 2.42 and 3.0 send it.
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
            + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            + "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
            + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    ])
    func `a client that requests OpenMetrics gets it`(accept: String) {
        #expect(Exposition(accepting: accept) == .openMetrics)
    }

    @Test func `only the first ranges of a long field count`() {
        let (ranges, bytes) = (AcceptField.rangeLimit, AcceptField.byteLimit)
        func field(after count: Int) -> String {
            String(repeating: "text/html,", count: count) + "application/openmetrics-text"
        }
        #expect(Exposition(accepting: field(after: ranges - 1)) == .openMetrics)
        #expect(Exposition(accepting: field(after: ranges)) == .prometheus)
        let long = "text/html;a=" + String(repeating: "b", count: bytes)
        #expect(Exposition(accepting: long + ",application/openmetrics-text") == .prometheus)
        #expect(AcceptField(String(repeating: ",", count: 100_000)).ranges.isEmpty)
    }
}
