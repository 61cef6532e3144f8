namespace Poolhouse.Ldap.Internal.Servers;

/// <summary>When a server was lost on one of its connections: connections created before are no longer trusted.</summary>
// Simultaneous failures count once: a connection from before the last loss carries no new information.
internal sealed class ServerLoss(TimeProvider clock)
{
    private long _lostAt = long.MinValue;

    public long Now => clock.GetTimestamp();

    public long LostAt => Volatile.Read(ref _lostAt);

    /// <summary>Reports that a connection lost its server.</summary>
    /// <returns>Whether the loss was not known before.</returns>
    public bool ReportLost(long createdAt)
    {
        var known = LostAt;
        return createdAt >= known && Interlocked.CompareExchange(ref _lostAt, Now, known) == known;
    }
}
