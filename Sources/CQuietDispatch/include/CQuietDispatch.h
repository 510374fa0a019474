#pragma once

// Nothing to call: see QuietDispatch.c.
