# The paths of the files with secrets and certificates below the folder $own that a beacons.json names, one a line.
[.. | objects | .passphraseFile, .passwordFile, .tokenFile, .phone, .ca, .certificate, .key]
| unique[]
| strings
| select(startswith($own) and (test("\\p{C}") | not))
