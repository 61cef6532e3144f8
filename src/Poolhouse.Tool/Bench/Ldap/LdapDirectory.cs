namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A directory that a trial asks, for as long as the trial lasts.</summary>
internal abstract class LdapDirectory : IAsyncDisposable
{
    public abstract LdapTarget Target { get; }

    /// <summary>The connections that the server has accepted so far; null: it does not tell.</summary>
    public virtual long? Accepted => null;

    /// <summary>The connections that the server has; null: it does not tell.</summary>
    public virtual int? Open => null;

    /// <summary>Has every operation but binds take so long, where the server does what we say.</summary>
    public virtual void SlowDown(TimeSpan response)
    {
    }

    /// <summary>Ends all connections and accepts none.</summary>
    public virtual void Stop() => throw new InvalidOperationException("A server that was not started by this run is not stopped.");

    /// <summary>Is back on the same port.</summary>
    public virtual void StartAgain() => throw new InvalidOperationException("A server that was not started by this run is not started.");

    public abstract ValueTask DisposeAsync();
}
