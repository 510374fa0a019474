#pragma once

// Nothing to call: see AmbientCapabilities.c.
