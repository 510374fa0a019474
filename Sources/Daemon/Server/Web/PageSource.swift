import COkaeriPage

/// The files of the page, as they are in `Page`. Each access copies the file.
enum PageSource {
    static var app_css: [UInt8] { bytes(okaeri_page_app_css()) }
    static var app_js: [UInt8] { bytes(okaeri_page_app_js()) }
    static var backup_js: [UInt8] { bytes(okaeri_page_backup_js()) }
    static var base_js: [UInt8] { bytes(okaeri_page_base_js()) }
    static var calibration_js: [UInt8] { bytes(okaeri_page_calibration_js()) }
    static var chart_js: [UInt8] { bytes(okaeri_page_chart_js()) }
    static var days_js: [UInt8] { bytes(okaeri_page_days_js()) }
    static var devices_js: [UInt8] { bytes(okaeri_page_devices_js()) }
    static var editor_js: [UInt8] { bytes(okaeri_page_editor_js()) }
    static var en_js: [UInt8] { bytes(okaeri_page_en_js()) }
    static var en_more_js: [UInt8] { bytes(okaeri_page_en_more_js()) }
    static var enroll_js: [UInt8] { bytes(okaeri_page_enroll_js()) }
    static var explain_js: [UInt8] { bytes(okaeri_page_explain_js()) }
    static var findings_js: [UInt8] { bytes(okaeri_page_findings_js()) }
    static var guests_js: [UInt8] { bytes(okaeri_page_guests_js()) }
    static var happened_js: [UInt8] { bytes(okaeri_page_happened_js()) }
    static var icon_png: [UInt8] { bytes(okaeri_page_icon_png()) }
    static var icon_svg: [UInt8] { bytes(okaeri_page_icon_svg()) }
    static var index_html: [UInt8] { bytes(okaeri_page_index_html()) }
    static var ja_js: [UInt8] { bytes(okaeri_page_ja_js()) }
    static var ja_more_js: [UInt8] { bytes(okaeri_page_ja_more_js()) }
    static var live_js: [UInt8] { bytes(okaeri_page_live_js()) }
    static var livechart_js: [UInt8] { bytes(okaeri_page_livechart_js()) }
    static var login_js: [UInt8] { bytes(okaeri_page_login_js()) }
    static var manifest_webmanifest: [UInt8] { bytes(okaeri_page_manifest_webmanifest()) }
    static var network_js: [UInt8] { bytes(okaeri_page_network_js()) }
    static var now_js: [UInt8] { bytes(okaeri_page_now_js()) }
    static var outage_js: [UInt8] { bytes(okaeri_page_outage_js()) }
    static var outcome_js: [UInt8] { bytes(okaeri_page_outcome_js()) }
    static var picture_js: [UInt8] { bytes(okaeri_page_picture_js()) }
    static var qr_js: [UInt8] { bytes(okaeri_page_qr_js()) }
    static var radios_js: [UInt8] { bytes(okaeri_page_radios_js()) }
    static var receivers_js: [UInt8] { bytes(okaeri_page_receivers_js()) }
    static var remove_js: [UInt8] { bytes(okaeri_page_remove_js()) }
    static var room_js: [UInt8] { bytes(okaeri_page_room_js()) }
    static var sensitivity_js: [UInt8] { bytes(okaeri_page_sensitivity_js()) }
    static var setup_js: [UInt8] { bytes(okaeri_page_setup_js()) }
    static var thresholds_js: [UInt8] { bytes(okaeri_page_thresholds_js()) }
    static var words_js: [UInt8] { bytes(okaeri_page_words_js()) }
    static var zone_js: [UInt8] { bytes(okaeri_page_zone_js()) }

    private static func bytes(_ file: okaeri_page_file) -> [UInt8] {
        Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
