#pragma once

// Nothing to call: see AmbientCapabilities.c.

// Nothing to call: see QuietDispatch.c.

/// The commit that this was built from, with "-dirty" where files had been changed; empty where nobody said.
const char *okaeri_commit(void);
