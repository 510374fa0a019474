#pragma once

/// The commit that this was built from, with "-dirty" where files had been changed; empty where nobody said.
const char *okaeri_commit(void);
