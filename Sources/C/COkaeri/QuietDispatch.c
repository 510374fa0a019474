// On Linux libdispatch wakes up once a second, for ever, to check whether the threads of its global queues are blocked and
// it should start more of them (src/event/workqueue.c). This program never blocks those threads: blocking calls have threads
// of their own. So in a quiet house the daemon would wake up 86,400 times a day without need.
//
// libdispatch's threads register for this check by the two functions below. If libdispatch is linked statically, as in the
// shipped binary, these replacements take their place, and the timer never starts. If it is a shared library, or a later
// libdispatch has other names for them, they have no effect. Without the check its queues still have as many threads as
// there are processors.

void _dispatch_workq_worker_register(void *queue) { (void)queue; }

void _dispatch_workq_worker_unregister(void *queue) { (void)queue; }
