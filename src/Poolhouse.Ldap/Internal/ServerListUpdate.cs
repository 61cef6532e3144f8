namespace Poolhouse.Ldap.Internal;

/// <summary>When a server was lost by one of its connections: those made before are not trusted any more.</summary>
// What breaks together counts once: a connection from before the last loss tells nothing new.
internal sealed class ServerListUpdate(TimeProvider clock)
{
    private long _lostAt = long.MinValue;

    public long Now => clock.GetTimestamp();

    public long LostAt => Volatile.Read(ref _lostAt);

    /// <summary>Reports that a connection lost its server.</summary>
    /// <returns>Whether that was news.</returns>
    public bool ReportLost(long createdAt)
    {
        var known = LostAt;
        return createdAt >= known && Interlocked.CompareExchange(ref _lostAt, Now, known) == known;
    }
}
