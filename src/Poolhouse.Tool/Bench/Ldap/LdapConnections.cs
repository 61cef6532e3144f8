using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>How callers get a connection.</summary>
internal abstract class LdapConnections : IAsyncDisposable
{
    /// <summary>The connections opened so far.</summary>
    public abstract long Opened { get; }

    /// <summary>Blocks: gets a connection, works with it, and returns or closes it.</summary>
    public abstract void Use(Action<LdapConnection> work, CancellationToken cancellation);

    /// <summary>A search whose caller may give up before it is answered.</summary>
    public abstract Task SearchAsync(CancellationToken giveUp);

    /// <summary>By how many connections the number that can be held at the same time has decreased.</summary>
    public virtual int CountLost(CancellationToken cancellation) => 0;

    public abstract ValueTask DisposeAsync();
}
