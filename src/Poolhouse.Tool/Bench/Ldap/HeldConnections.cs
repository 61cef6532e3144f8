using System.Collections.Concurrent;
using System.DirectoryServices.Protocols;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A connection per thread, opened once and never closed.</summary>
internal sealed class HeldConnections(LdapTarget target) : LdapConnections
{
    // Never closed: libldap 2.5 may close a foreign descriptor together with a connection that it has reconnected.
    private static readonly ConcurrentQueue<LdapConnection> _forEver = [];

    private readonly ThreadLocal<LdapConnection?> _own = new();
    private long _opened;

    public override long Opened => Interlocked.Read(ref _opened);

    public override void Use(Action<LdapConnection> work, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        work(_own.Value ??= Connect());
    }

    public override Task SearchAsync(CancellationToken giveUp) => throw new NotSupportedException("Threads own the connections.");

    public override ValueTask DisposeAsync()
    {
        _own.Dispose();
        return ValueTask.CompletedTask;
    }

    private LdapConnection Connect()
    {
        var connection = target.Connect();
        _forEver.Enqueue(connection);
        Interlocked.Increment(ref _opened);
        return connection;
    }
}
