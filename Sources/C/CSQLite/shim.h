#pragma once

#include <sqlite3.h>

/* What Swift cannot see: SQLITE_TRANSIENT, which is a number cast to a function. Nothing else belongs here. */

/* Binds a text of which SQLite makes a copy. */
static inline int okaeri_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}
