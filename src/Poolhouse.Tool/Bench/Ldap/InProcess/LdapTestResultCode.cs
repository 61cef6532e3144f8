namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>The result codes of LDAP that a test server gives (RFC 4511, section 4.1.9).</summary>
#pragma warning disable CA1027 // The numbers are those of the protocol, and no flags.
internal enum LdapTestResultCode
#pragma warning restore CA1027
{
    /// <summary>The operation was done.</summary>
    Success = 0,

    /// <summary>The operation cannot be done in this order or state.</summary>
    OperationsError = 1,

    /// <summary>
    /// The message, or a value in it, breaks the protocol; also the answer to an unknown extended operation.
    /// </summary>
    ProtocolError = 2,

    /// <summary>The search took longer than its client allows.</summary>
    TimeLimitExceeded = 3,

    /// <summary>There is more to find than the client's limit.</summary>
    SizeLimitExceeded = 4,

    /// <summary>The entry does not have the compared value.</summary>
    CompareFalse = 5,

    /// <summary>The entry has the compared value.</summary>
    CompareTrue = 6,

    /// <summary>The authentication method is not supported.</summary>
    AuthMethodNotSupported = 7,

    /// <summary>The operation needs a bound identity.</summary>
    StrongerAuthRequired = 8,

    /// <summary>A critical control is not known, or does not fit the operation.</summary>
    UnavailableCriticalExtension = 12,

    /// <summary>The operation needs a connection under TLS.</summary>
    ConfidentialityRequired = 13,

    /// <summary>The entry does not have the attribute, or the value to be removed.</summary>
    NoSuchAttribute = 16,

    /// <summary>The entry has the value already.</summary>
    AttributeOrValueExists = 20,

    /// <summary>A value does not have the form that it needs.</summary>
    InvalidAttributeSyntax = 21,

    /// <summary>There is no such entry.</summary>
    NoSuchObject = 32,

    /// <summary>The text is no distinguished name.</summary>
    InvalidDnSyntax = 34,

    /// <summary>The name or the password is wrong. The server does not say which.</summary>
    InvalidCredentials = 49,

    /// <summary>The identity of the connection may not do this.</summary>
    InsufficientAccessRights = 50,

    /// <summary>The server has too much to do.</summary>
    Busy = 51,

    /// <summary>The server is shutting down.</summary>
    Unavailable = 52,

    /// <summary>The server refuses.</summary>
    UnwillingToPerform = 53,

    /// <summary>The values of the entry's name are not among its attributes.</summary>
    NamingViolation = 64,

    /// <summary>The entry would be one that its classes do not allow.</summary>
    ObjectClassViolation = 65,

    /// <summary>Other entries are below this one.</summary>
    NotAllowedOnNonLeaf = 66,

    /// <summary>The value is part of the entry's name.</summary>
    NotAllowedOnRdn = 67,

    /// <summary>There is such an entry already.</summary>
    EntryAlreadyExists = 68,

    /// <summary>Something else went wrong.</summary>
    Other = 80,
}
