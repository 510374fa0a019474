// On Linux libdispatch wakes up once a second, for ever, to see whether the threads of its global queues are blocked and
// more of them should be started (src/event/workqueue.c). Nothing of ours blocks those threads: what blocks has threads of
// its own. So in a quiet house the daemon would wake up 86,400 times a day for nothing.
//
// These two are how its threads enlist to be watched. Where libdispatch is linked statically, as in the binary that is
// shipped, ours take their place, and the watch is never set up. Where it is a shared library nothing changes, and if a
// later libdispatch has other names for them, neither does anything. Without the watch its queues still have as many
// threads as there are processors.

void _dispatch_workq_worker_register(void *queue) { (void)queue; }

void _dispatch_workq_worker_unregister(void *queue) { (void)queue; }
