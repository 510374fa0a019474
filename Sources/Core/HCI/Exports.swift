// The problem of an ``IdentityFileError``.
@_exported public import enum Plumbing.SecretFileProblem
