#pragma once

#include <stddef.h>

/// A file of the page. The bytes are constant, and are not ended by a zero.
struct okaeri_page_file {
    const unsigned char *bytes;
    size_t count;
};

struct okaeri_page_file okaeri_page_app_css(void);
struct okaeri_page_file okaeri_page_app_js(void);
struct okaeri_page_file okaeri_page_backup_js(void);
struct okaeri_page_file okaeri_page_base_js(void);
struct okaeri_page_file okaeri_page_calibration_js(void);
struct okaeri_page_file okaeri_page_chart_js(void);
struct okaeri_page_file okaeri_page_days_js(void);
struct okaeri_page_file okaeri_page_devices_js(void);
struct okaeri_page_file okaeri_page_editor_js(void);
struct okaeri_page_file okaeri_page_en_js(void);
struct okaeri_page_file okaeri_page_en_more_js(void);
struct okaeri_page_file okaeri_page_enroll_js(void);
struct okaeri_page_file okaeri_page_explain_js(void);
struct okaeri_page_file okaeri_page_findings_js(void);
struct okaeri_page_file okaeri_page_guests_js(void);
struct okaeri_page_file okaeri_page_happened_js(void);
struct okaeri_page_file okaeri_page_icon_png(void);
struct okaeri_page_file okaeri_page_icon_svg(void);
struct okaeri_page_file okaeri_page_index_html(void);
struct okaeri_page_file okaeri_page_ja_js(void);
struct okaeri_page_file okaeri_page_ja_more_js(void);
struct okaeri_page_file okaeri_page_live_js(void);
struct okaeri_page_file okaeri_page_livechart_js(void);
struct okaeri_page_file okaeri_page_login_js(void);
struct okaeri_page_file okaeri_page_manifest_webmanifest(void);
struct okaeri_page_file okaeri_page_network_js(void);
struct okaeri_page_file okaeri_page_now_js(void);
struct okaeri_page_file okaeri_page_outage_js(void);
struct okaeri_page_file okaeri_page_outcome_js(void);
struct okaeri_page_file okaeri_page_picture_js(void);
struct okaeri_page_file okaeri_page_qr_js(void);
struct okaeri_page_file okaeri_page_radios_js(void);
struct okaeri_page_file okaeri_page_receivers_js(void);
struct okaeri_page_file okaeri_page_remove_js(void);
struct okaeri_page_file okaeri_page_room_js(void);
struct okaeri_page_file okaeri_page_sensitivity_js(void);
struct okaeri_page_file okaeri_page_setup_js(void);
struct okaeri_page_file okaeri_page_thresholds_js(void);
struct okaeri_page_file okaeri_page_words_js(void);
struct okaeri_page_file okaeri_page_zone_js(void);
