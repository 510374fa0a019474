#pragma once

// AmbientCapabilities.c and QuietDispatch.c run before main and declare no functions.

/// The commit of the build, with "-dirty" if files had been changed; empty if it is unknown.
const char *okaeri_commit(void);
