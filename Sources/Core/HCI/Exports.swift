// The problem of an ``IdentityFileError``.
@_exported public import enum OkaeriPlumbing.SecretFileProblem
