import Testing

/// What needs a bus and a bluetoothd on it: one test at a time, for each waits for programs of its own.
@Suite(.serialized, .timeLimit(.minutes(5))) enum OnTheBus {}
