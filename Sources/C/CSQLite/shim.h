#pragma once

#include <sqlite3.h>

/* The constant that Swift cannot import: SQLITE_TRANSIENT, a number cast to a function. Add no others. */

/* Binds a text of which SQLite makes a copy. */
static inline int okaeri_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}
