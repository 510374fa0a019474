/// The colours and strokes, on light paper and on dark.
enum Style {
    static let sheet = """

        text{font:13px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;fill:#1f2933}
        .title{font-size:20px;font-weight:600}.short{font-size:16px}.name{font-size:15px;font-weight:600}
        .quiet{fill:#7b8794;font-size:12px}.small{font-size:10.5px}.middle{text-anchor:middle}.end{text-anchor:end}
        .paper{fill:#fffdf8}.grid{stroke:#efeae0}.grid.strong{stroke:#e0d9ca}
        .inside{fill:#2a9d8f}.outside{fill:#e9e4d8}.unknown{fill:url(#doubt)}
        .doubt{stroke:#b9b2a3}.band{fill:#4c78a8;fill-opacity:.18}
        .signal{fill:none;stroke:#4c78a8;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
        .threshold{stroke-width:1;stroke-dasharray:5 4}.enter{stroke:#2a9d8f}.exit{stroke:#c8643c}
        text.enter,text.exit{stroke:#fffdf8;stroke-width:4;paint-order:stroke}text.enter{fill:#22796f}text.exit{fill:#b4532c}
        .mark{stroke:#fffdf8;stroke-width:1.5}.prompt{fill:#e9a23b}.answer{fill:#b7892f}
        .joined{fill:#2a9d8f}.joinFailed{fill:#c8443c}
        .glyph{fill:none;stroke:#fff;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
        .outage{fill:#c8443c;fill-opacity:.14}.unwatched{fill:url(#absence)}.absence{stroke:#cfc8b8}
        @media (prefers-color-scheme:dark){
        text{fill:#e6e9ee}.quiet{fill:#8a94a3}.paper{fill:#171b22}.grid{stroke:#20262f}.grid.strong{stroke:#2d3541}
        .inside{fill:#35b7a6}.outside{fill:#2b323d}.doubt{stroke:#535d6c}.band{fill:#7aa6d6;fill-opacity:.22}
        .signal{stroke:#8db8e6}.enter{stroke:#35b7a6}.exit{stroke:#e08a63}text.enter{fill:#35b7a6}text.exit{fill:#e08a63}
        .mark,text.enter,text.exit{stroke:#171b22}.outage{fill:#e0615a;fill-opacity:.2}.absence{stroke:#333b47}}

        """

    /// Hatches: for unknown time, and for time without a watching daemon.
    static let patterns = """
        <defs><pattern id="doubt" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <path class="doubt" d="M0 0V6" stroke-width="2"/></pattern>\
        <pattern id="absence" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <path class="absence" d="M0 0V8" stroke-width="1"/></pattern></defs>
        """
}
