import OkaeriFuzzSupport
import Glibc
import OkaeriChecksum
import OkaeriConfiguration
import OkaeriPlumbing
import SystemPackage

@testable import OkaeriSetup

/// A file without a name, which each input replaces.
private let file: OwnedDescriptor = {
    var name = "/tmp/okaeri-XXXXXX".utf8CString.map(\.self)
    let number = mkstemp(&name)
    require(number >= 0 && unlink(name) == 0, "there is no file for the inputs")
    return OwnedDescriptor(owning: number)
}()

/// The input is a backup; or the line of a manifest and the contents of its files, one behind each 0xFF, to which the headers, the
/// padding and the checksum of the manifest are added.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBackup(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](input(start, count))
    _ = ftruncate(file.number, 0)
    _ = pwrite(file.number, bytes, bytes.count, 0)
    check()
    _ = ftruncate(file.number, 0)
    lseek(file.number, 0, SEEK_SET)
    if (try? write(bytes)) != nil { check() }
    return 0
}

private func write(_ bytes: [UInt8]) throws(BackupFailure) {
    let parts = bytes.split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)
    var archive = ArchiveWriter(output: FileDescriptor(rawValue: file.number), modified: 0)
    let manifest = parts[0] + Array("\n\(CRC32(of: parts[0][...]))\n".utf8)
    try archive.add(BackupManifest.fileName, manifest)
    let files = (try? BackupManifest(text: manifest).files) ?? []
    for (entry, content) in zip(files, parts.dropFirst()) { try archive.add(entry.name.rawValue, content) }
    _ = try archive.end()
}

/// Checks that an accepted backup has bounded files, each of its own name and path, and is written as it was read.
private func check() {
    do throws(BackupFailure) {
        let archive = try BackupArchive("/proc/self/fd/\(file.number)")
        let files = archive.manifest.files
        require(files.first?.name == .configuration && archive.contents[.configuration] != nil, "no configuration")
        require(Set(files.map(\.name)).count == files.count, "two files of a name")
        require(Set(files.compactMap(\.path)).count == files.filter(\.name.isSecret).count, "two files of a path")
        for entry in files {
            require(entry.size <= entry.name.sizeLimit, "a file without a limit")
            require(entry.path?.hasPrefix("/") ?? true && entry.path?.isPlainName ?? true, "a path that is not one")
            let content = archive.contents[entry.name]
            require(content.map { $0.count == entry.size } ?? (entry.name == .state(.history)), "another content")
        }
        require((try? BackupManifest(text: archive.manifest.text)) == archive.manifest, "another manifest is written")
        require((try? archive.manifest.refuseUnreadable()) != nil, "a backup is read that is not written")
    } catch {
        requireWords(error)
    }
}
