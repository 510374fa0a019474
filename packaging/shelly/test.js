// Checks okaeri.js with a mock of the Shelly's scripting API: node packaging/shelly/test.js
"use strict";
const assert = require("assert");
const fs = require("fs");
const vm = require("vm");
const source = fs.readFileSync(__dirname + "/okaeri.js", "utf8");

// Starts the script on a mock of a Shelly; its properties can be changed.
function shelly(options) {
  const state = { connected: true, running: false, published: [], timers: [], log: [], scans: [], ...options };
  vm.runInNewContext(source, {
    JSON, console: { log: (text) => state.log.push(text) }, btoa: (text) => Buffer.from(text, "latin1").toString("base64"),
    BLE: {
      Scanner: {
        SCAN_RESULT: 2, INFINITE_SCAN: -1, isRunning: () => state.running,
        Subscribe: (callback) => { state.received = callback; },
        Start: (settings) => { state.scans.push(settings); state.running = !state.broken; return true; },
      },
    },
    MQTT: {
      isConnected: () => state.connected,
      publish: (topic, payload, qos, retain) => state.published.push({ topic, payload: JSON.parse(payload), qos, retain }),
    },
    Shelly: {
      getComponentConfig: (name) => name === "mqtt" ? { topic_prefix: state.prefix } : { enable: state.ble !== false },
      getDeviceInfo: () => ({ id: "shellyplus1-aabbcc" }),
    },
    Timer: { set: (ms, repeats, callback) => state.timers.push({ ms, repeats, callback }) },
  });
  state.tick = (count) => { for (let i = 0; i < count; i++) state.timers.find((timer) => timer.ms === 1000).callback(); };
  state.hear = (addr, data, rssi = -60) => state.received(2, { addr, rssi, advData: data, scanRsp: "" });
  return state;
}

const frame = "\x02\x01\x06\x1a\xff\x4c\x00\x02\x15" + "u".repeat(16) + "\x00\x64\x00\x07\xc5";

// One message a second at most, not retained, with the last advertisement of each device and content.
let device = shelly({ prefix: "house/plug" });
assert.deepStrictEqual([device.scans.length, device.scans[0].active], [1, false]);
for (let i = 0; i < 50; i++) device.hear("aa:bb:cc:dd:ee:ff", frame, -60 - i);
device.hear("aa:bb:cc:dd:ee:ff", "\x02\x01\x06\x03\x03\xaa\xfe");
device.tick(1);
assert.strictEqual(device.published.length, 1);
let { topic, payload, qos, retain } = device.published[0];
assert.deepStrictEqual([topic, qos, retain, payload.v, payload.n], ["shelly-ble/house-plug", 0, false, 1, 1]);
assert.strictEqual(payload.adverts.length, 2);
assert.deepStrictEqual(payload.adverts[0], ["aa:bb:cc:dd:ee:ff", -109, Buffer.from(frame, "latin1").toString("base64"), ""]);

// Without receptions a message every five seconds: the scan runs.
device.published = [];
device.tick(20);
assert.deepStrictEqual(device.published.map((message) => message.payload.adverts.length), [0, 0, 0, 0]);
assert.ok(device.published.every((message) => message.payload.scan === true));

// What was received without a connection is not reported afterwards.
device.published = [];
device.connected = false;
device.hear("aa:bb:cc:dd:ee:ff", frame);
device.tick(3);
device.connected = true;
device.hear("11:22:33:44:55:66", frame);
device.tick(1);
assert.deepStrictEqual(device.published.map((message) => message.payload.adverts.map((advert) => advert[0])), [["11:22:33:44:55:66"]]);

// A crowd does not fill the memory.
device.published = [];
for (let i = 0; i < 500; i++) device.hear("aa:bb:cc:dd:ee:" + i, frame);
device.tick(1);
assert.strictEqual(device.published[0].payload.adverts.length, 32);

// In a crowd there is room for an iBeacon, and then for a phone.
for (let turn = 0; turn < 3; turn++) {
  device.published = [];
  const hear = [
    () => { for (let i = 0; i < 100; i++) device.hear("c0:00:00:00:00:" + i, "\x02\x01\x06"); },
    () => { for (let i = 0; i < 3; i++) device.hear("5a:00:00:00:00:" + i, "\x02\x01\x06"); },
    () => device.hear("c1:11:22:33:44:55", frame),
  ];
  for (let i = 0; i < 3; i++) hear[(i + turn) % 3]();
  device.tick(1);
  const list = device.published[0].payload.adverts.map((advert) => advert[0]);
  assert.ok(list.length <= 32 && list[0] === "c1:11:22:33:44:55");
  assert.strictEqual(list.filter((address) => address.startsWith("5a")).length, 3);
}

// Several iBeacons of one address, which differ in UUID, major or minor.
device.published = [];
const beacons = [frame, frame.replace("uuu", "uuv"), frame.replace("\x64", "\x65"), frame.replace("\x07\xc5", "\x08\xc5")];
for (const data of beacons.concat(beacons)) device.hear("aa:bb:cc:dd:ee:ff", data);
device.tick(1);
assert.strictEqual(device.published[0].payload.adverts.length, 4);

// The scan begins again within a second when another script has stopped it; other events are ignored.
let scans = device.scans.length;
device.running = false;
device.tick(1);
assert.deepStrictEqual([device.scans.length, device.running], [scans + 1, true]);

// A scan that does not begin is reported.
[device.running, device.broken, device.published] = [false, true, []];
device.tick(10);
assert.deepStrictEqual(device.published.map((message) => message.payload.scan), [false, false]);
device.received(1, undefined);
device.received(2, { addr: "x", rssi: 0 });

// Without Bluetooth the script logs the reason, and does nothing.
device = shelly({ ble: false });
assert.deepStrictEqual([device.timers.length, device.log.length], [0, 1]);
assert.deepStrictEqual(shelly({ broken: true }).log, ["the scan does not start"]);
assert.strictEqual(shelly({}).published.length, 0);
let plain = shelly({});
plain.hear("aa:bb:cc:dd:ee:ff", frame);
plain.tick(1);
assert.strictEqual(plain.published[0].topic, "shelly-ble/shellyplus1-aabbcc");
assert.ok(source.split("\n").length <= 76, "at most 75 lines");
fs.writeSync(1, process.argv.includes("--print") ? JSON.stringify(plain.published[0].payload) + "\n" : "okaeri.js: fine\n");
