// The files of the page, as they are in the sources. The compiler copies them in a tenth of a second; for array literals of Swift it needs
// a quarter of a minute.

#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE(name) \
    struct okaeri_page_file okaeri_page_##name(void) { return (struct okaeri_page_file){name, sizeof(name)}; }

static const unsigned char app_css[] = {
#embed "../../Daemon/Server/Web/Page/app.css"
};
FILE(app_css)

static const unsigned char app_js[] = {
#embed "../../Daemon/Server/Web/Page/app.js"
};
FILE(app_js)

static const unsigned char backup_js[] = {
#embed "../../Daemon/Server/Web/Page/backup.js"
};
FILE(backup_js)

static const unsigned char base_js[] = {
#embed "../../Daemon/Server/Web/Page/base.js"
};
FILE(base_js)

static const unsigned char calibration_js[] = {
#embed "../../Daemon/Server/Web/Page/calibration.js"
};
FILE(calibration_js)

static const unsigned char chart_js[] = {
#embed "../../Daemon/Server/Web/Page/chart.js"
};
FILE(chart_js)

static const unsigned char days_js[] = {
#embed "../../Daemon/Server/Web/Page/days.js"
};
FILE(days_js)

static const unsigned char devices_js[] = {
#embed "../../Daemon/Server/Web/Page/devices.js"
};
FILE(devices_js)

static const unsigned char editor_js[] = {
#embed "../../Daemon/Server/Web/Page/editor.js"
};
FILE(editor_js)

static const unsigned char en_js[] = {
#embed "../../Daemon/Server/Web/Page/en.js"
};
FILE(en_js)

static const unsigned char en_more_js[] = {
#embed "../../Daemon/Server/Web/Page/en.more.js"
};
FILE(en_more_js)

static const unsigned char enroll_js[] = {
#embed "../../Daemon/Server/Web/Page/enroll.js"
};
FILE(enroll_js)

static const unsigned char explain_js[] = {
#embed "../../Daemon/Server/Web/Page/explain.js"
};
FILE(explain_js)

static const unsigned char findings_js[] = {
#embed "../../Daemon/Server/Web/Page/findings.js"
};
FILE(findings_js)

static const unsigned char guests_js[] = {
#embed "../../Daemon/Server/Web/Page/guests.js"
};
FILE(guests_js)

static const unsigned char happened_js[] = {
#embed "../../Daemon/Server/Web/Page/happened.js"
};
FILE(happened_js)

static const unsigned char icon_png[] = {
#embed "../../Daemon/Server/Web/Page/icon.png"
};
FILE(icon_png)

static const unsigned char icon_svg[] = {
#embed "../../Daemon/Server/Web/Page/icon.svg"
};
FILE(icon_svg)

static const unsigned char index_html[] = {
#embed "../../Daemon/Server/Web/Page/index.html"
};
FILE(index_html)

static const unsigned char ja_js[] = {
#embed "../../Daemon/Server/Web/Page/ja.js"
};
FILE(ja_js)

static const unsigned char ja_more_js[] = {
#embed "../../Daemon/Server/Web/Page/ja.more.js"
};
FILE(ja_more_js)

static const unsigned char live_js[] = {
#embed "../../Daemon/Server/Web/Page/live.js"
};
FILE(live_js)

static const unsigned char livechart_js[] = {
#embed "../../Daemon/Server/Web/Page/livechart.js"
};
FILE(livechart_js)

static const unsigned char login_js[] = {
#embed "../../Daemon/Server/Web/Page/login.js"
};
FILE(login_js)

static const unsigned char manifest_webmanifest[] = {
#embed "../../Daemon/Server/Web/Page/manifest.webmanifest"
};
FILE(manifest_webmanifest)

static const unsigned char network_js[] = {
#embed "../../Daemon/Server/Web/Page/network.js"
};
FILE(network_js)

static const unsigned char now_js[] = {
#embed "../../Daemon/Server/Web/Page/now.js"
};
FILE(now_js)

static const unsigned char outage_js[] = {
#embed "../../Daemon/Server/Web/Page/outage.js"
};
FILE(outage_js)

static const unsigned char outcome_js[] = {
#embed "../../Daemon/Server/Web/Page/outcome.js"
};
FILE(outcome_js)

static const unsigned char picture_js[] = {
#embed "../../Daemon/Server/Web/Page/picture.js"
};
FILE(picture_js)

static const unsigned char qr_js[] = {
#embed "../../Daemon/Server/Web/Page/qr.js"
};
FILE(qr_js)

static const unsigned char radios_js[] = {
#embed "../../Daemon/Server/Web/Page/radios.js"
};
FILE(radios_js)

static const unsigned char receivers_js[] = {
#embed "../../Daemon/Server/Web/Page/receivers.js"
};
FILE(receivers_js)

static const unsigned char remove_js[] = {
#embed "../../Daemon/Server/Web/Page/remove.js"
};
FILE(remove_js)

static const unsigned char room_js[] = {
#embed "../../Daemon/Server/Web/Page/room.js"
};
FILE(room_js)

static const unsigned char sensitivity_js[] = {
#embed "../../Daemon/Server/Web/Page/sensitivity.js"
};
FILE(sensitivity_js)

static const unsigned char setup_js[] = {
#embed "../../Daemon/Server/Web/Page/setup.js"
};
FILE(setup_js)

static const unsigned char thresholds_js[] = {
#embed "../../Daemon/Server/Web/Page/thresholds.js"
};
FILE(thresholds_js)

static const unsigned char words_js[] = {
#embed "../../Daemon/Server/Web/Page/words.js"
};
FILE(words_js)

static const unsigned char zone_js[] = {
#embed "../../Daemon/Server/Web/Page/zone.js"
};
FILE(zone_js)
