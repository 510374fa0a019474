/// A command that no container has.
package var foreignCommand: Regex<Substring> { #/systemctl|\bsudo|journalctl|\bapt /# }
