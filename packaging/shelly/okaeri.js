// Reports the Bluetooth advertisements that this Shelly receives to Okaeri, over the Shelly's own MQTT connection.
// Instructions: docs/receivers.md. Once a second at most: {"v":1,"n":7,"adverts":[[address, RSSI, advertisement, scan response], …]}.
// Without an advertisement {"v":1,"n":8,"scan":true,"adverts":[]}: whether the scan runs.
const TOPIC = "shelly-ble/"; // The name of this Shelly follows: its MQTT prefix, without slashes.
const PERIOD = 1000; // Milliseconds between two messages.
const IDLE = 5; // Periods between two messages while nothing is received: they show that this Shelly scans.
const MOST = 32; // Devices in a message: a Shelly has little memory.

let batch = [{}, {}, {}]; // The last advertisement of each device, by its address and its content: iBeacons, phones, others.
let counts = [0, 0, 0];
let number = 0;
let idle = 0;

function clear(rank) {
  batch[rank] = {};
  counts[rank] = 0;
}

function received(event, result) {
  if (event !== BLE.Scanner.SCAN_RESULT || !result || !result.advData) return;
  // A phone may have a resolvable private address: its upper two bits are 01.
  let rank = result.advData.indexOf("\x4c\x00\x02\x15") >= 0 ? 0 : "4567".indexOf(result.addr[0]) >= 0 ? 1 : 2;
  // An iBeacon advertises beside other frames and other iBeacons, so the content counts up to its UUID, major and minor.
  let key = result.addr + result.advData.slice(0, 30);
  if (batch[rank][key] === undefined) {
    // Others give way to phones, and both to iBeacons.
    for (let last = 2; last > rank && counts[0] + counts[1] + counts[2] >= MOST; last--) clear(last);
    if (counts[0] + counts[1] + counts[2] >= MOST) return;
    counts[rank]++;
  }
  batch[rank][key] = [result.addr, result.rssi, btoa(result.advData), result.scanRsp ? btoa(result.scanRsp) : ""];
}

function publish() {
  let message = { v: 1, n: number + 1, adverts: [] };
  for (let rank = 0; rank < 3; rank++) {
    for (let key in batch[rank]) message.adverts.push(batch[rank][key]);
    clear(rank);
  }
  let scans = start();
  idle++;
  // What was received without a connection is old afterwards.
  if (!MQTT.isConnected() || (message.adverts.length === 0 && idle < IDLE)) return;
  if (message.adverts.length === 0) message.scan = scans;
  idle = 0;
  number++;
  MQTT.publish(TOPIC + name, JSON.stringify(message), 0, false);
}

let name = Shelly.getComponentConfig("mqtt").topic_prefix || Shelly.getDeviceInfo().id;
name = name.split("/").join("-");

// Another script may scan, whose results come here, too, or stop the scan.
function start() {
  if (BLE.Scanner.isRunning()) return true;
  BLE.Scanner.Start({ duration_ms: BLE.Scanner.INFINITE_SCAN, active: false, interval_ms: 100, window_ms: 90 });
  return BLE.Scanner.isRunning();
}

if (!Shelly.getComponentConfig("ble").enable) {
  console.log("Bluetooth is off: switch it on in Settings, Bluetooth");
} else {
  BLE.Scanner.Subscribe(received);
  if (!start()) console.log("the scan does not start");
  Timer.set(PERIOD, true, publish);
}
