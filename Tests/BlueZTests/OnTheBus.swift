import Testing

/// Tests that need a bus and a bluetoothd on it: one at a time, since each waits for programs of its own.
@Suite(.serialized, .timeLimit(.minutes(5))) enum OnTheBus {}
