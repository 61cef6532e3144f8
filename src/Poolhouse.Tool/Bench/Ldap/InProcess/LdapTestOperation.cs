namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>An operation that an <see cref="LdapTestServer"/> received.</summary>
/// <remarks>Thread safe.</remarks>
internal sealed class LdapTestOperation
{
    // A name may be as long as a message, and many operations are remembered.
    private const int MaxTargetLength = 1000;

    private int _result = -1;

    internal LdapTestOperation(long connectionId, LdapTestOperationKind kind, string boundDn, string target)
    {
        ConnectionId = connectionId;
        Kind = kind;
        BoundDn = boundDn;
        Target = target.Length <= MaxTargetLength ? target : target[..MaxTargetLength];
    }

    /// <summary>The connection of the operation, see <see cref="LdapTestConnection.Id"/>.</summary>
    public long ConnectionId { get; }

    /// <summary>Which operation.</summary>
    public LdapTestOperationKind Kind { get; }

    /// <summary>The identity of the connection when the server received the operation; empty: anonymous.</summary>
    public string BoundDn { get; }

    /// <summary>
    /// The name of the entry concerned, as the client wrote it; the object identifier of an extended operation; otherwise empty.
    /// At most 1,000 characters.
    /// </summary>
    public string Target { get; }

    /// <summary>
    /// The server's answer; null: none yet, or none because the operation was abandoned or its connection was lost.
    /// </summary>
    public LdapTestResultCode? Result
    {
        get => Volatile.Read(ref _result) is var result and >= 0 ? (LdapTestResultCode)result : null;
        internal set => Volatile.Write(ref _result, value is { } code ? (int)code : -1);
    }

    /// <summary>The operation in one line, for the messages of failed assertions.</summary>
    /// <returns>The connection, the operation, its target, its identity and its result.</returns>
    public override string ToString() =>
        $"connection {ConnectionId}: {Kind} '{Target}' as '{BoundDn}' -> {Result?.ToString() ?? "no answer"}";
}
