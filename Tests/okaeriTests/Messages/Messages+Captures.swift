import OkaeriEvents
import IBeacon
import OkaeriBluetooth
import OkaeriChecksum
import OkaeriPresence
import RegionMonitoring
import SystemPackage

@testable import HCI
@testable import OkaeriListening

extension Messages {
    static var captures: [Section] {
        [
            Section(
                "CaptureFileError",
                [CaptureFileError.unreadable(file: "home.btsnoop", .noSuchFileOrDirectory)]
                    + [.damaged, .tooLong(limit: 1 << 32), .noMemory].map {
                        CaptureFileError.packed(file: "home.btsnoop.gz", offset: 1024, $0)
                    }),
            Section(
                "CaptureError",
                captureReasons.map {
                    CaptureFileError.damaged(file: "home.btsnoop", CaptureError(offset: 1024, reason: $0))
                }),
            Section("HCIDecodingError", decodingErrors),
            Section("HCIEncodingError", encodingErrors),
            Section("LocateAnswer.Reason", locateReasons.map(\.text)),
            Section(
                "Calibration.Failure", calibrationFailures.map { CalibrationSummary.sentence($0, question).english }),
        ]
    }

    private static let captureReasons = samples(CaptureError.Reason.tooShort(bytes: 0)) { reason in
        switch reason {
        case .tooShort(0): .tooShort(bytes: 3)
        case .tooShort: .notACapture(magic: 0x5265_6164)
        case .notACapture(0x5265_6164): .notACapture(magic: 0x1F8B_0800)
        case .notACapture: .unknownVersion(.btsnoop, major: 2, minor: 0)
        case .unknownVersion(.btsnoop, _, _): .unknownVersion(.pcap, major: 3, minor: 0)
        case .unknownVersion: .unknownDataLink(1003)
        case .unknownDataLink: .noBluetooth(linkType: 105)
        case .noBluetooth: .recordTooLong(100_000)
        case .recordTooLong: .recordTooShort(8)
        case .recordTooShort: .recordBeyondBlock(100, block: 32)
        case .recordBeyondBlock: .badBlockLength(7, shortest: 12)
        case .badBlockLength: .blockTooLong(300_000)
        case .blockTooLong: .blockLengthsDiffer(32, 36)
        case .blockLengthsDiffer: .optionTooLong(9)
        case .optionTooLong: .unknownByteOrder(0x0102_0304)
        case .unknownByteOrder: .unknownInterface(7, of: 2)
        case .unknownInterface: .tooManyInterfaces
        case .tooManyInterfaces: .cut(missing: 12)
        case .cut: nil
        }
    }

    private static let decodingErrors = samples(
        HCIDecodingError.truncated(Truncation(offset: 4, needed: 2, available: 1))
    ) { error in
        switch error {
        case .truncated: .unexpectedPacketType(0x01, expected: .event)
        case .unexpectedPacketType: .unexpectedOpcode(.reset, expected: .leSetScanEnable)
        case .unexpectedOpcode: .invalidValue(field: "scan interval", value: 1, allowed: "4 to 16384")
        case .invalidValue: nil
        }
    }

    private static let encodingErrors = samples(HCIEncodingError.parametersTooLong(count: 300, limit: 255)) { error in
        switch error {
        case .parametersTooLong: .tooManyReports(count: 30, limit: 25)
        case .tooManyReports: .dataTooLong(count: 300, limit: 229)
        case .dataTooLong: nil
        }
    }

    private static let uuid = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

    private static let question = CalibrationSummary.Question(
        region: MonitoredRegion(BeaconRegion(identifier: "home", constraint: .uuid(uuid))), distance: 4,
        duration: .seconds(20))

    private static let locateReasons = samples(LocateAnswer.Reason.notHeard) { reason in
        switch reason {
        case .notHeard: .tooWeak
        case .tooWeak: .unknown(.bluetooth(off))
        case .unknown(.bluetooth): .unknown(.notListened(.seconds(7), of: .seconds(10), because: off))
        case .unknown(.notListened): .unknown(.noAnswer(adapter: "hci0"))
        case .unknown(.noAnswer): nil
        }
    }

    private static let off = AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "hci0 is switched off")

    private static let calibrationFailures = samples(Calibration.Failure.nothingHeard) { failure in
        switch failure {
        case .nothingHeard: .noSignal(receptions: 19)
        case .noSignal:
            .severalBeacons([
                BeaconIdentity(uuid: uuid, major: 1, minor: 1): 20, BeaconIdentity(uuid: uuid, major: 1, minor: 2): 7,
            ])
        case .severalBeacons: .tooFew(readings: 3, needed: 10)
        case .tooFew: .unsteady(span: 14)
        case .unsteady: .noMeasuredPower
        case .noMeasuredPower: .implausible(exponent: 9.5)
        case .implausible: nil
        }
    }
}
