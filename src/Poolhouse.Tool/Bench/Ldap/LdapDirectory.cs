namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A directory for the duration of a trial.</summary>
internal abstract class LdapDirectory : IAsyncDisposable
{
    public abstract LdapTarget Target { get; }

    /// <summary>The connections that the server has accepted so far; null if it does not report them.</summary>
    public virtual long? Accepted => null;

    /// <summary>The connections that the server has; null if it does not report them.</summary>
    public virtual int? Open => null;

    /// <summary>Delays every operation except binds, if the server supports that.</summary>
    public virtual void SlowDown(TimeSpan response)
    {
    }

    /// <summary>Ends all connections and accepts none.</summary>
    public virtual void Stop() =>
        throw new InvalidOperationException("A server that was not started by this run is not stopped.");

    /// <summary>Accepts connections again, on the same port.</summary>
    public virtual void StartAgain() =>
        throw new InvalidOperationException("A server that was not started by this run is not started.");

    public abstract ValueTask DisposeAsync();
}
