// Reports the Bluetooth advertisements that this Shelly receives to Okaeri, over the Shelly's own MQTT connection.
// Instructions: docs/receivers.md. Once a second at most: {"v":1,"n":7,"adverts":[[address, RSSI, advertisement, scan response], …]}.
const TOPIC = "shelly-ble/"; // The name of this Shelly follows: its MQTT prefix, without slashes.
const PERIOD = 1000; // Milliseconds between two messages.
const IDLE = 5; // Periods between two messages while nothing is received: they show that this Shelly lives.
const MOST = 32; // Devices in a message: a Shelly has little memory.

let batch = {}; // The last advertisement of each device, by its address and its content.
let count = 0;
let number = 0;
let idle = 0;

function received(event, result) {
  if (event !== BLE.Scanner.SCAN_RESULT || !result || !result.advData) return;
  // An iBeacon advertises beside other frames, so the content counts, too.
  let key = result.addr + result.advData.slice(0, 9);
  if (batch[key] === undefined) {
    if (count >= MOST) return;
    count++;
  }
  batch[key] = [result.addr, result.rssi, btoa(result.advData), result.scanRsp ? btoa(result.scanRsp) : ""];
}

function publish() {
  let adverts = [];
  for (let key in batch) adverts.push(batch[key]);
  batch = {};
  count = 0;
  idle++;
  // What was received without a connection is old afterwards.
  if (!MQTT.isConnected() || (adverts.length === 0 && idle < IDLE)) return;
  idle = 0;
  number++;
  MQTT.publish(TOPIC + name, JSON.stringify({ v: 1, n: number, adverts: adverts }), 0, false);
}

let name = Shelly.getComponentConfig("mqtt").topic_prefix || Shelly.getDeviceInfo().id;
name = name.split("/").join("-");

function start() {
  if (BLE.Scanner.isRunning()) return true; // Another script scans: its results come here, too.
  return BLE.Scanner.Start({ duration_ms: BLE.Scanner.INFINITE_SCAN, active: false, interval_ms: 100, window_ms: 90 });
}

if (!Shelly.getComponentConfig("ble").enable) {
  console.log("Bluetooth is off: switch it on in Settings, Bluetooth");
} else {
  BLE.Scanner.Subscribe(received);
  if (!start()) console.log("the scan does not start");
  Timer.set(60000, true, start); // The scan ends when another script stops it.
  Timer.set(PERIOD, true, publish);
}
